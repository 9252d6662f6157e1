"""What one would write without a tool: page through the tag index, ask SQS for each queue."""

import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config

key, value, workers, _, endpoint = sys.argv[1:6]
settings = dict(
    region_name="us-east-1",
    endpoint_url=endpoint,
    aws_access_key_id="local",
    aws_secret_access_key="local",
    config=Config(max_pool_connections=int(workers)),
)
index = boto3.client("resourcegroupstaggingapi", **settings)
sqs = boto3.client("sqs", **settings)

arns = []
pages = index.get_paginator("get_resources").paginate(TagFilters=[{"Key": key, "Values": [value]}], ResourcesPerPage=100)
for page in pages:
    arns += [resource["ResourceARN"] for resource in page["ResourceTagMappingList"]]


def exists(arn):
    try:
        sqs.get_queue_url(QueueName=arn.rsplit(":", 1)[1])
        return True
    except sqs.exceptions.QueueDoesNotExist:
        return False


with ThreadPoolExecutor(int(workers)) as pool:
    left = sum(pool.map(exists, [arn for arn in arns if ":sqs:" in arn]))
print(f"{len(arns)} indexed, {left} queues left")
