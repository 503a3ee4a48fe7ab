"""What clients, YARN, Kubernetes and processes say of a cluster that does not start, and the act that it decides."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

SAID = (
    ("RuntimeException: Hadoop security with Kerberos is enabled but the login user does not have", "kinit -kt"),
    ("Could not read the Yarn properties file /tmp/.yarn-properties-root. Please delete the file", ".yarn-properties"),
    ("The Yarn application application_1_1 doesn't run anymore.", "yarn application -list"),
    (
        'The "yarn.provided.lib.dirs" should only contain dirs accessible from all worker nodes, while the "a" is',
        "hdfs",
    ),
    ('The "yarn.provided.lib.dirs" has to also include the lib/, plugin/ and flink-dist jar.', "flink-dist-"),
    ("IOException: Two files with the same filename exist in the shared libs: a.jar - b/a.jar.", "Remove one"),
    ("External resource yarn.io/gpu is not supported by the Yarn cluster.", "resource-types.xml"),
    ("ClusterDeploymentException: The Flink cluster orders already exists.", "kubectl delete deployment/"),
    ("rest.port should be specified to a fixed port. Do not support a range of ports.", "rest.port: 8081"),
    ('GET at: https://10.0.0.1/api. Message: configmaps is forbidden: User "system:anonymous" cannot', "fsGroup"),
    ("KubernetesClientException: Failure executing. Message: Unauthorized! Token may have expired!", "Flink 1.17"),
    ('Deployment.apps "a" is invalid: spec.template.spec.containers[0].image: Required value.', "flink-main-container"),
    ("FlinkRuntimeException: Cannot have more than 1 streaming jobs in a single environment.", "StatementSet"),
    (
        "The program's entry point class 'A' could not be loaded due to a linkage failure.",
        "for the Java of the cluster",
    ),
    ("Memory size unit 'gi' does not match any of the recognized units: (b | bytes) / (k | kb", "Gi and Mi"),
    ("Errors$NativeIoException: bind(..) failed: Address already in use", "1.20.1"),
    ("java.security.UnrecoverableKeyException: Get Key failed: Given final block not", "key-password"),
    (
        "RpcException: The method requestJob's result size 12000000 exceeds the maximum size 10485760 .",
        "pekko.framesize",
    ),
    ("UnsupportedOperationException: getSubject is supported only if a security manager is allowed", "Java 17"),
    ("IllegalAccessError: class a cannot access class sun.b because module java.base does not export sun.b", "exports"),
    ("./bin/flink: line 2: $'\\r': command not found", "sed -i"),
    ("ERROR StatusLogger Unrecognized format specifier [d]", "Log4j2Plugins.dat"),
    ("CustomResourceDefinition.a is invalid: b: this property is in x-kubernetes-list-map-keys, so", "newer release"),
    ("Operation: [get]  for kind: [Service]  with name: [a]  failed. SocketTimeoutException: timeout", "/version"),
    ("javax.net.ssl.SSLPeerUnverifiedException: Hostname 10.96.0.1 not verified: kubernetes", "extra-sans"),
    ("TooLongFrameException: Adjusted frame length exceeds 10485760: 369295617 - discarded", "8081"),
    ("RestClientException: [Not found: /v1/jars/upload]", "web.submit.enable"),
    ("ERROR Failed to access archive location for path hdfs:/flink/archive.", "historyserver.sh"),
    ("Diagnostics: Container preempted by scheduler", "disable_preemption"),
    ("exited with  exitCode: 239", "FATAL: Thread"),
    ("Could not parse value '500m' for key 'kubernetes.jobmanager.cpu.amount'.", "0.5 and not 500m"),
    ("Could not parse value '1.5g' for key 'taskmanager.memory.process.size'.", "2048m"),
    ("'flinkdeployments.flink.apache.org' v1 CRD was not found on the cluster, controller 'a'", "restart its pod"),
    ('Error: looks like "https://a/flink-b/" is not a valid chart repository or cannot be reached', "archive.apache"),
    ("Error: rendered manifests contain a resource that already exists. Unable to continue with install", "Delete"),
    ('spec.flinkVersion: Unsupported value: "v2_1": supported values: "v1_13", "v1_14"', "1.13 or later"),
    ("WARN Session cluster deployment is not found", "spec.deploymentName"),
    ('no matches for kind "FlinkCluster" in version "flinkoperator.k8s.io/v1beta1"', "kubectl create -f"),
)


@pytest.mark.parametrize(("said", "named"), SAID)
def test_a_message_of_a_start_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_job_graph_of_another_release_is_told_from_one_that_high_availability_keeps() -> None:
    said = "InvalidClassException: org.apache.flink.runtime.jobgraph.JobGraph; local class incompatible: stream"
    assert "high-availability.cluster-id" in (remedy_of(said) or "")
    submitted = remedy_of(said, ("org.apache.flink.runtime.rest.handler.job.JobSubmitHandler.lambda$loadJobGraph$2",))
    assert "one release" in (submitted or "")


def test_two_planners_are_told_from_none() -> None:
    said = (
        "TableException: Could not instantiate the executor. Make sure a planner module is on the classpath\n"
        "ValidationException: Multiple factories for identifier 'default' that implement "
        "'org.apache.flink.table.delegation.ExecutorFactory' found in the classpath."
    )
    assert "Both planners" in (remedy_of(said) or "")
