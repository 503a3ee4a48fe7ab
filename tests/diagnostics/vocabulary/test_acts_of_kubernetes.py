"""What Kubernetes says of Flink's pods and of its operators' resources, and the act that each sentence decides."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

WEBHOOK = 'failed calling webhook "mutationwebhook.flink.apache.org": failed to call webhook: Post "https://w:443/m": '
SAID = (
    ("Failed: Error: ErrImageNeverPull (a pod)", "kind load docker-image"),
    ('Failed to pull image "r/f:1": pull access denied for r/f, repository does not exist', "pull-secrets"),
    ('Failed to pull image "f:9": rpc error: manifest unknown', "a tag that the registry has"),
    ('Failed to pull image "r/f:1": toomanyrequests: You have reached your pull rate limit', "Docker Hub limits"),
    ('MountVolume.SetUp failed for volume "v" : configmap "flink-config" not found', "Create the ConfigMap"),
    ('MountVolume.SetUp failed for volume "v" : configmap "hadoop-config-a" not found', "kubernetes.hadoop.conf"),
    ('MountVolume.SetUp failed for volume "v" : secret "webhook-server-cert" not found', "cert-manager"),
    ('Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) a', "ReadWriteMany"),
    ("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "StorageClass"),
    ("0/4 nodes are available: 1 node(s) had untolerated taint {a: }, 3 Insufficient memory.", "ask for less"),
    ("0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: x}.", "tolerations"),
    ("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", "node-selector"),
    ("Evicted: Pod ephemeral local storage usage exceeds the total limit of containers 2Gi.", "ephemeral-storage"),
    ("Container taskmanager failed liveness probe, will be restarted", "taskmanager.rpc.port: 6122"),
    (WEBHOOK + "x509: certificate has expired or is not yet valid", "Renew the certificate"),
    (WEBHOOK + "tls: failed to verify certificate: x509: certificate signed by unknown authority", "caBundle"),
    (WEBHOOK + "tls: x509: certificate relies on legacy Common Name field, use SANs instead", "subjectAltName"),
    (WEBHOOK + 'no endpoints available for service "flink-operator-webhook-service"', "Start the pod behind"),
    (WEBHOOK + "context deadline exceeded", "9443"),
    (WEBHOOK + 'service "flink-operator-webhook-service" not found', "Delete the webhook configurations"),
    ('no matches for kind "Ingress" in version "networking.k8s.io/v1beta1"', "networking.k8s.io/v1:"),
    ('no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"', "newer release of the operator"),
    ("the server could not find the requested resource (post certificates.cert-manager.io)", "Install cert-manager"),
    ("spec.rules[0]: Forbidden: you do not have permission to set host fields in ingress rules", "custom-host"),
    ("Service temporarily unavailable due to an ongoing leader election. Please refresh.", "FLINK-30518"),
    ("Could not find or load main class org.apache.flink.yarn.entrypoint.YarnJobClusterEntrypoint", "Windows"),
    ('FlinkCluster.x "a" is invalid: status.components.job.id: Required value', "custom resource definitions"),
)


@pytest.mark.parametrize(("said", "named"), SAID)
def test_a_sentence_of_kubernetes_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
