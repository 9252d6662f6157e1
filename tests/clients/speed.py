"""Deploy and delete of the provider stack: `assay` and the aws CLI, each against a local cloud of its own.

Usage: python speed.py PATH_TO_ASSAY        (the aws CLI is looked for beside this Python)

Prints times, ratio and calls. Fails if assay makes more calls than it needs; the ratio is information.
"""

import base64
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import boto3

ROOT = pathlib.Path(__file__).resolve().parents[2]
STACK, BUCKET = "assay-speed-provider", "assay-speed-artifacts"
# Between two looks at a local endpoint, seconds; jitter shortens a pause by a fifth at most.
SHORTEST_PAUSE = 0.050 * 0.8
# Of everything but the looks at events, deploy and delete together need exactly this.
NEEDED = {
    "sts.GetCallerIdentity": 2,  # whose account, once a command
    "cloudformation.DescribeStacks": 4,  # is there one of that name, and how did it end, once a command
    "cloudformation.CreateStack": 1,
    "cloudformation.DeleteStack": 1,
}
EVENTS = "cloudformation.DescribeStackEvents"


class Cloud:
    """A local cloud with the artifact in a bucket; its calls from then on."""

    def __init__(self, assay, folder):
        self.process = subprocess.Popen([assay, "local", "--json"], stdout=subprocess.PIPE, text=True)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")} | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": str(folder / "none"),
            "AWS_PAGER": "",
        }
        s3 = boto3.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1", aws_access_key_id="local", aws_secret_access_key="local"
        )
        s3.create_bucket(Bucket=BUCKET)
        s3.put_object(Bucket=BUCKET, Key="bootstrap.zip", Body=PACKAGE)

    def time(self, command):
        start = time.monotonic()
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, f"{command}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}"
        return time.monotonic() - start

    def end(self):
        self.process.terminate()
        text, _ = self.process.communicate(timeout=60)
        calls = json.loads(text.splitlines()[-1])["calls"]
        return {name: n for name, n in calls.items() if not name.startswith("s3.")}


def package():
    """No function is invoked here, so any program will do."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("bootstrap")
        info.external_attr = 0o755 << 16
        archive.writestr(info, "#!/bin/sh\nexit 1\n")
    return buffer.getvalue()


PACKAGE = package()
PARAMETERS = {
    "ArtifactBucket": BUCKET,
    "ArtifactKey": "bootstrap.zip",
    "ArtifactSha256Base64": base64.b64encode(hashlib.sha256(PACKAGE).digest()).decode(),
    "DeadlineMs": "1500",
    "ProviderTimeoutS": "30",
    "HoldLimitMs": "20000",
    "HoldPollMs": "20",
    "CallerTimeoutS": "12",
    "ClockToleranceMs": "1000",
}
TEMPLATE = str(ROOT / "templates/provider.yaml")


def with_assay(assay, folder):
    cloud = Cloud(assay, folder)
    parameters = [text for key, value in PARAMETERS.items() for text in ("--param", f"{key}={value}")]
    deploy = [assay, "deploy", TEMPLATE, "--stack", STACK, "--tag", "CostCenter=speed", *parameters, "--yes"]
    times = cloud.time(deploy), cloud.time([assay, "delete", "--stack", STACK, "--yes"])
    return times, cloud.end()


def with_aws(assay, folder):
    cloud = Cloud(assay, folder)
    aws = str(pathlib.Path(sys.executable).with_name("aws"))
    parameters = [f"{key}={value}" for key, value in PARAMETERS.items()]
    deploy = [aws, "cloudformation", "deploy", "--template-file", TEMPLATE, "--stack-name", STACK]
    deploy += ["--capabilities", "CAPABILITY_IAM", "--tags", "CostCenter=speed", "--parameter-overrides", *parameters]
    wait = [aws, "cloudformation", "wait", "stack-delete-complete", "--stack-name", STACK]
    delete = [aws, "cloudformation", "delete-stack", "--stack-name", STACK]
    times = cloud.time(deploy), cloud.time(delete) + cloud.time(wait)
    return times, cloud.end()


def told(name, times, calls):
    print(f"speed: {name:<6} deploy {times[0]:6.2f} s, delete {times[1]:6.2f} s, {sum(calls.values()):3} calls")
    print("       " + ", ".join(f"{n} {call.split('.')[-1]}" for call, n in sorted(calls.items())))


def check(times, calls):
    """One silent look at what was before the deletion, then one look a pause, and one at each end."""
    most = 1 + sum(1 + int(seconds / SHORTEST_PAUSE) for seconds in times)
    events = calls.pop(EVENTS)
    assert calls == NEEDED, f"calls {calls}, needed are {NEEDED}"
    assert events <= most, f"{events} looks at events in {times} s, {most} are the most"


def main():
    assay = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours, our_calls = with_assay(assay, folder)
        theirs, their_calls = with_aws(assay, folder)
    told("assay", ours, our_calls)
    told("aws", theirs, their_calls)
    print(f"speed: assay is {sum(theirs) / sum(ours):.1f} × as fast (information, not a test)")
    check(ours, our_calls)
    print("speed: 1 passed, 0 failed")


if __name__ == "__main__":
    main()
