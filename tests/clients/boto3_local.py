"""boto3, which did not write the local cloud, drives it: deploy, send, invoke, durable history, tags, delete, streams.

Usage: python boto3_local.py PATH_TO_ASSAY [PATH_TO_BOOTSTRAP]
"""

import io
import json
import pathlib
import subprocess
import sys
import time
import zipfile

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFIX = "boto3-check"
TAGS = [{"Key": "assay:study", "Value": "boto3"}, {"Key": "assay:run", "Value": "boto3-1"}]


def wait_for(what, look, seconds=60):
    """The first true value that `look` gives; fails loudly after a bound."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


def start(assay):
    process = subprocess.Popen([assay, "local", "--json"], stdout=subprocess.PIPE, text=True)
    return process, json.loads(process.stdout.readline())["endpoint"]


class Study:
    def __init__(self, endpoint, bootstrap):
        def client(name):
            return boto3.client(
                name,
                endpoint_url=endpoint,
                region_name="us-east-1",
                aws_access_key_id="local",
                aws_secret_access_key="local",
                config=Config(retries={"max_attempts": 1}, read_timeout=60),
            )

        self.cfn, self.s3, self.sqs = client("cloudformation"), client("s3"), client("sqs")
        self.lam, self.ddb, self.streams = client("lambda"), client("dynamodb"), client("dynamodbstreams")
        self.tagging, self.sts, self.logs = client("resourcegroupstaggingapi"), client("sts"), client("logs")
        self.zip = self.pack(bootstrap)

    @staticmethod
    def pack(bootstrap):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            info = zipfile.ZipInfo("bootstrap")
            info.external_attr = 0o755 << 16
            archive.writestr(info, bootstrap.read_bytes(), compress_type=zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    def deploy(self, component, **parameters):
        name = f"{PREFIX}-{component}"
        answer = self.cfn.create_stack(
            StackName=name,
            TemplateBody=(ROOT / f"templates/{component}.yaml").read_text(),
            Parameters=[{"ParameterKey": k, "ParameterValue": str(v)} for k, v in parameters.items()],
            Tags=TAGS,
            Capabilities=["CAPABILITY_IAM"],
            ClientRequestToken=f"{name}-token",
        )
        stack_id = answer["StackId"]

        def settled():
            stack = self.cfn.describe_stacks(StackName=stack_id)["Stacks"][0]
            return None if stack["StackStatus"].endswith("_IN_PROGRESS") else stack

        stack = wait_for(f"stack {name}", settled)
        if stack["StackStatus"] != "CREATE_COMPLETE":
            events = self.cfn.describe_stack_events(StackName=stack_id)["StackEvents"]
            raise AssertionError([(e["LogicalResourceId"], e.get("ResourceStatusReason")) for e in events])
        return stack_id, {o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", [])}

    def run(self):
        assert self.sts.get_caller_identity()["Account"] == "000000000000"
        stacks = {}
        stacks["artifacts"], out = self.deploy("artifacts", BucketName=f"{PREFIX}-artifacts")
        self.s3.put_object(Bucket=out["BucketName"], Key="bootstrap.zip", Body=self.zip)
        code = {"ArtifactBucket": out["BucketName"], "ArtifactKey": "bootstrap.zip", "ArtifactSha256Base64": self.digest()}
        stacks["provider"], provider = self.deploy(
            "provider", **code, DeadlineMs=1500, ProviderTimeoutS=30, HoldLimitMs=20000, HoldPollMs=20,
            CallerTimeoutS=12, ClockToleranceMs=1000, LogRetentionDays=7,
        )
        shared = {
            **code, "ProviderFunctionArn": provider["ProviderFunctionArn"], "CallerJournalTable": provider["CallerJournalTable"],
            "CallerJournalTableArn": provider["CallerJournalTableArn"], "DeadlineMs": 1500, "FunctionTimeoutS": 4,
            "MaxReceiveCount": 2, "LogRetentionDays": 7,
        }
        stacks["durable"], durable = self.deploy(
            "durable", **shared, VisibilityTimeoutS=36, RetryAttempts=2, RetryDelayS=1, ExecutionTimeoutS=30, RetentionPeriodInDays=1,
        )
        self.durable_refund(provider, durable)
        self.refusals(durable)
        self.tags(durable)
        self.delete(stacks, provider)

    def digest(self):
        import base64
        import hashlib

        return base64.b64encode(hashlib.sha256(self.zip).digest()).decode()

    def durable_refund(self, provider, durable):
        """A held answer makes the step fail once and succeed on its second attempt, inside one execution."""
        body = {
            "run": "boto3-1", "trial": "boto3", "scenario": "COMMIT_THEN_TIMEOUT", "refund_request_id": "ref-boto3",
            "amount_minor": 10000, "currency": "BRL",
        }
        self.sqs.send_message(
            QueueUrl=durable["QueueUrl"], MessageBody=json.dumps(body), MessageGroupId="boto3", MessageDeduplicationId="boto3-1"
        )

        def ended():
            listed = self.lam.list_durable_executions_by_function(
                FunctionName=durable["FunctionName"], Qualifier=durable["FunctionVersion"]
            )["DurableExecutions"]
            return [e for e in listed if e["Status"] != "RUNNING"]

        execution = wait_for("durable execution", ended)[0]
        assert execution["Status"] == "SUCCEEDED", execution
        history = self.lam.get_durable_execution_history(
            DurableExecutionArn=execution["DurableExecutionArn"], IncludeExecutionData=True
        )["Events"]
        kinds = [e["EventType"] for e in history]
        for kind in ["ExecutionStarted", "StepStarted", "StepFailed", "StepSucceeded", "ExecutionSucceeded"]:
            assert kind in kinds, kinds
        assert [e["EventId"] for e in history] == list(range(1, len(history) + 1))
        ledger = self.ddb.query(
            TableName=provider["LedgerTable"], ConsistentRead=True, KeyConditionExpression="trial = :t",
            ExpressionAttributeValues={":t": {"S": "boto3"}},
        )["Items"]
        assert len(ledger) == 2, ledger
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]

        def drained():
            counts = self.sqs.get_queue_attributes(QueueUrl=durable["QueueUrl"], AttributeNames=names)["Attributes"]
            return all(counts[n] == "0" for n in names)

        wait_for("an empty queue", drained)

    def refusals(self, durable):
        try:
            self.lam.list_durable_executions_by_function(FunctionName=durable["FunctionName"], Qualifier="live")
            raise AssertionError("an alias must be refused")
        except ClientError as error:
            assert "alias" in str(error), error
        try:
            self.lam.invoke(FunctionName=durable["FunctionName"], Payload=b"{}")
            raise AssertionError("a durable function must be invoked with a qualifier")
        except ClientError as error:
            assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400, error

    def tags(self, durable):
        tags = self.sqs.list_queue_tags(QueueUrl=durable["QueueUrl"])["Tags"]
        assert tags["assay:run"] == "boto3-1", tags
        pages = self.tagging.get_paginator("get_resources").paginate(TagFilters=[{"Key": "assay:run", "Values": ["boto3-1"]}])
        arns = [r["ResourceARN"] for page in pages for r in page["ResourceTagMappingList"]]
        assert any(":function:" in a for a in arns) and not any(":role/" in a for a in arns), arns

    def delete(self, stacks, provider):
        objects = self.s3.list_object_versions(Bucket=f"{PREFIX}-artifacts")
        for version in objects.get("Versions", []) + objects.get("DeleteMarkers", []):
            self.s3.delete_object(Bucket=f"{PREFIX}-artifacts", Key=version["Key"], VersionId=version["VersionId"])
        stream = provider["CallerJournalStreamArn"]
        for component in reversed(stacks):
            self.cfn.delete_stack(StackName=stacks[component])

            def gone(stack_id=stacks[component]):
                status = self.cfn.describe_stacks(StackName=stack_id)["Stacks"][0]["StackStatus"]
                assert status != "DELETE_FAILED", stack_id
                return status == "DELETE_COMPLETE"

            wait_for(f"deletion of {component}", gone)
        try:
            self.ddb.describe_table(TableName=provider["CallerJournalTable"])
            raise AssertionError("the table must be gone")
        except self.ddb.exceptions.ResourceNotFoundException:
            pass
        status = self.streams.describe_stream(StreamArn=stream)["StreamDescription"]["StreamStatus"]
        assert status == "DISABLED", status
        groups = self.logs.describe_log_groups(logGroupNamePrefix=f"/assay/{PREFIX}")["logGroups"]
        assert groups == [], groups


def main():
    assay = pathlib.Path(sys.argv[1]).resolve()
    bootstrap = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else assay.parent / "bootstrap"
    process, endpoint = start(str(assay))
    try:
        Study(endpoint, bootstrap).run()
    finally:
        process.terminate()
        code = process.wait(timeout=20)
    assert code == 0, f"assay local ended with {code}"
    print("boto3: 1 passed, 0 failed")


if __name__ == "__main__":
    main()
