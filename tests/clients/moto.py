"""moto, an emulator that shares no line with the local cloud, as a second endpoint for deploy, tags, delete and audit.

Usage: python moto.py PATH_TO_ASSAY

Where moto differs from AWS, what is asserted is that assay says what is there and never more: every answer about tags
is compared with boto3's own reading of the same resource.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import boto3
from botocore.config import Config

STACK = "assay-second"
TEMPLATE = """
Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub '${AWS::StackName}-q'}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${AWS::StackName}-t'
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
  Group:
    Type: AWS::Logs::LogGroup
    Properties: {LogGroupName: !Sub '/assay/${AWS::StackName}/g'}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: 2012-10-17
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]
Outputs:
  QueueUrl: {Value: !Ref Queue}
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start():
    """moto's server on a free port of this machine."""
    port = free_port()
    program = pathlib.Path(sys.executable).with_name("moto_server")
    process = subprocess.Popen(
        [program, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    endpoint = f"http://127.0.0.1:{port}"
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5)
            return process, endpoint
        except OSError:
            assert process.poll() is None, "moto's server ended"
            time.sleep(0.1)
    process.kill()
    raise AssertionError("moto's server did not answer within 60 s")


class Check:
    def __init__(self, assay, endpoint, folder):
        self.assay_path, self.endpoint, self.folder = assay, endpoint, folder
        self.template = folder / "t.yaml"
        self.template.write_text(TEMPLATE)

    def client(self, name):
        return boto3.client(
            name,
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=Config(retries={"max_attempts": 1}),
        )

    def assay(self, *arguments, code=0):
        """One command of assay; its last line of output as JSON."""
        around = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        command = [self.assay_path, *arguments, "--region", "us-east-1", "--endpoint-url", self.endpoint]
        ran = subprocess.run(command, cwd=self.folder, env=around, capture_output=True, text=True, timeout=300)
        assert ran.returncode == code, f"{arguments}: exit {ran.returncode}, not {code}\n{ran.stdout}{ran.stderr}"
        return ran

    def json(self, *arguments, code=0):
        text = self.assay(*arguments, "--json", code=code).stdout
        return json.loads(text) if text.startswith("{\n") else json.loads(text.splitlines()[-1])

    def deploy(self, *more, code=0):
        return self.assay(
            "deploy", str(self.template), "--stack", STACK, "--tag", "CostCenter=pay", "--yes", "--json", *more, code=code
        )

    def run(self):
        done = json.loads(self.deploy().stdout.splitlines()[-1])
        assert done["status"] == "CREATE_COMPLETE" and done["tags"]["CostCenter"] == "pay", done
        assert done["capabilities"] == ["CAPABILITY_IAM"] and done["sent"] == "inline", done
        sent = self.client("cloudformation").get_template(StackName=STACK)["TemplateBody"]
        assert sent == TEMPLATE, "the template's bytes must arrive unchanged"
        self.tags(done["stack_id"])
        self.audit_before()
        gone = self.json("delete", "--stack", STACK, "--yes")
        assert gone["status"] == "DELETE_COMPLETE", gone
        again = self.json("delete", "--stack", STACK, "--yes")
        assert again["status"] == "NOT_FOUND", again
        self.audit_after()

    def tags(self, stack_id):
        """What assay says of each resource's tags is what boto3 reads."""
        wrong = {}
        ran = self.assay("tags", "verify", "--stack", STACK, "--json", code=self.expected_exit(stack_id))
        proof = json.loads(ran.stdout.splitlines()[-1])
        for resource in proof["resources"]:
            said, read = resource["standing"]["is"], self.read(resource["kind"], resource["id"])
            assert (said == "proven") == (read.get("CostCenter") == "pay" and "assay:tool" in read), (resource, read)
            wrong[resource["kind"]] = said
        kinds = {"Stack", "Queue", "Table", "LogGroup", "Role"}
        assert {k.split("::")[-1] for k in wrong} == kinds, wrong
        print("moto: tags", ", ".join(f"{k.split('::')[-1]} {v}" for k, v in sorted(wrong.items())))

    def expected_exit(self, stack_id):
        resources = self.client("cloudformation").describe_stack_resources(StackName=stack_id)["StackResources"]
        all_tagged = all(
            self.read(r["ResourceType"], r["PhysicalResourceId"]).get("CostCenter") == "pay" for r in resources
        )
        return 0 if all_tagged else 10

    def read(self, kind, name):
        pairs = lambda tags: {t["Key"]: t["Value"] for t in tags}
        if kind == "AWS::CloudFormation::Stack":
            return pairs(self.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]["Tags"])
        if kind == "AWS::SQS::Queue":
            return self.client("sqs").list_queue_tags(QueueUrl=name).get("Tags", {})
        if kind == "AWS::DynamoDB::Table":
            arn = self.client("dynamodb").describe_table(TableName=name)["Table"]["TableArn"]
            return pairs(self.client("dynamodb").list_tags_of_resource(ResourceArn=arn)["Tags"])
        if kind == "AWS::Logs::LogGroup":
            return self.client("logs").list_tags_log_group(logGroupName=name)["tags"]
        if kind == "AWS::IAM::Role":
            return pairs(self.client("iam").list_role_tags(RoleName=name)["Tags"])
        raise AssertionError(kind)

    def audit(self, code, *more):
        return self.json("audit", "--tag", "CostCenter=pay", *more, code=code)

    def audit_before(self):
        """What stands is no clean account."""
        text = json.dumps(self.audit(40, "--prefix", STACK))
        assert f"stack/{STACK}/" in text and '"leak"' in text and f"{STACK}-q" in text, text

    def audit_after(self):
        """Clean, once nothing is there; a queue that no stack owns is found by its tag and by its name."""
        sqs = self.client("sqs")
        assert sqs.list_queues(QueueNamePrefix=STACK).get("QueueUrls", []) == []
        self.audit(0)
        url = sqs.create_queue(QueueName=f"{STACK}-orphan", tags={"CostCenter": "pay"})["QueueUrl"]
        assert f"{STACK}-orphan" in json.dumps(self.audit(40))
        sqs.delete_queue(QueueUrl=url)
        self.audit(0)
        self.revived()

    def revived(self):
        """moto makes a deleted stack's resources anew when it is asked for their list, while it goes on saying
        DELETE_COMPLETE. The audit, which asks, has to find them: a status is no proof."""
        boto = self.client("cloudformation")
        summary = next(s for s in boto.list_stacks()["StackSummaries"] if s["StackName"] == STACK)
        assert summary["StackStatus"] == "DELETE_COMPLETE", summary
        boto.list_stack_resources(StackName=summary["StackId"])
        there = {u.rsplit("/", 1)[-1] for u in self.client("sqs").list_queues(QueueNamePrefix=STACK).get("QueueUrls", [])}
        there |= {t for t in self.client("dynamodb").list_tables()["TableNames"] if t.startswith(STACK)}
        report = self.audit(40 if there else 0, "--prefix", STACK)
        found = {f["id"].rsplit("/", 1)[-1] for f in report["findings"]}
        assert there <= found, (there, found)
        print(f"moto: {len(there)} resources came back after DELETE_COMPLETE, the audit found {len(found)}")


def main():
    process, endpoint = start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            Check(str(pathlib.Path(sys.argv[1]).resolve()), endpoint, pathlib.Path(folder)).run()
    finally:
        process.terminate()
        process.wait(timeout=20)
    print("moto: 1 passed, 0 failed")


if __name__ == "__main__":
    main()
