"""A refusal that names who asks for what, and where, is answered for that user and that right alone."""

from __future__ import annotations

import pytest

from diagnostics.notation.hdfs_refusal import hdfs_refusal
from diagnostics.notation.kubernetes_refusal import kubernetes_refusal
from diagnostics.vocabulary.message_remedies import remedy_of

HDFS = "org.apache.hadoop.security.AccessControlException: Permission denied: user={}, access={}, inode={}"
KUBERNETES = (
    '{0} is forbidden: User "system:serviceaccount:{1}:{2}" cannot {3} resource "{0}" in API group "{4}" in the'
    ' namespace "{5}"'
)


@pytest.mark.parametrize(
    ("user", "access", "inode", "case", "act"),
    [
        ("flink", "EXECUTE", '"/a/b":flink:etl:drw-r--r--', "owner", "hdfs dfs -chmod u+x /a/b"),
        ("flink", "WRITE", '"/a/b":etl:data:drwxrwxr-x', "group", "Take flink into the group data"),
        ("flink", "WRITE", '"/a/b":etl:supergroup:drwxrwxr-x', "others", "-m user:flink:rwx /a/b"),
        (
            "flink",
            "WRITE",
            '"/a/b":hdfs:supergroup:drwxrwxr-x',
            "superuser",
            "user:flink:rwx,default:user:flink:rwx /a/b",
        ),
        ("flink", "WRITE", '"/a/b":hdfs:hdfs:drwxrwxr-x', "superuser", "hdfs dfs -chown -R flink /a/b"),
        ("flink", "READ", '"/a/b/c":hdfs:data:-rw-------', "superuser", "user:flink:r-x,default:user:flink:r-x /a/b "),
        ("flink", "READ", '"/a/b":etl:data:-rw----r--', "member", "hdfs dfs -chmod g+r /a/b"),
        ("flink", "READ", '"/a/b":etl:data:-rw-------', "others", "-m user:flink:r-- /a/b"),
        ("flink", "READ", '"/a/b/c":etl:data:-rw-------', "file", "user:flink:r-x,default:user:flink:r-x /a/b,"),
        ("flink", "READ", '"/a/b/c":etl:data:-rw-r-----+', "file", "user:flink:r-x,default:user:flink:r-x /a/b,"),
        ("flink", "READ_EXECUTE", '"/a/b":etl:data:drwx------', "others", "-m user:flink:r-x /a/b"),
        ("flink", "WRITE", '"/user":hdfs:supergroup:drwxr-xr-x', "shared", "hdfs dfs -chown flink /user/flink"),
        ("flink", "WRITE", '"/":hdfs:supergroup:drwxr-xr-x', "shared", "hdfs dfs -mkdir -p /<folder>"),
        ("flink", "READ", '"/a/b":etl:data:-rw-r-----+', "acl", "hdfs dfs -getfacl /a/b"),
        ("flink", "READ", '"/a/b":etl:data:-rw-r-----:group::rwx,group:x:rwx', "acl", "hdfs dfs -getfacl /a/b"),
        ("flink", "READ", '"/a/b":flink:data:-rw-r-----', "beyond_mode", "policy of Ranger"),
        ("flink", "WRITE", '"/a/b":etl:data:drwxrwxrwt', "beyond_mode", "policy of Ranger"),
    ],
)
def test_the_parts_of_a_refusal_of_hdfs_decide_the_act(user: str, access: str, inode: str, case: str, act: str) -> None:
    said = HDFS.format(user, access, inode)
    read = hdfs_refusal(said)
    assert read is not None
    assert read[0] == case
    assert act in (remedy_of(said) or "")


@pytest.mark.parametrize(
    "inode",
    [
        '"/user":hdfs:supergroup:drwxr-xr-x',
        '"/":root:root:drwxr-xr-x',
        '"/a/b":hdfs:supergroup:drwxr-xr-x',
        '"/a/b":hdfs:hdfs:drwxrwxr-x',
        '"/a/b":hdfs:data:drwxr-x---+',
    ],
)
def test_no_job_is_told_to_run_as_the_superuser(inode: str) -> None:
    remedy = remedy_of(HDFS.format("flink", "WRITE", inode)) or ""
    assert "setfacl" in remedy or "mkdir" in remedy
    assert "HADOOP_USER_NAME" not in remedy


def test_an_owner_is_not_told_to_own_the_path() -> None:
    assert "-chown" not in (remedy_of(HDFS.format("flink", "EXECUTE", '"/a/b":flink:etl:drw-r--r--')) or "")


@pytest.mark.parametrize(
    "said",
    [
        HDFS.format("x;reboot", "WRITE", '"/a":hdfs:hdfs:drwxr-xr-x'),
        HDFS.format("-R", "WRITE", '"/a":hdfs:hdfs:drwxr-xr-x'),
        HDFS.format("flink", "WRITE", '"/a $(reboot)":hdfs:hdfs:drwxr-xr-x'),
        HDFS.format("flink", "WRITE", '"staging":hdfs:hdfs:rwxr-xr-x'),
    ],
)
def test_names_that_a_shell_would_interpret_stay_out_of_commands(said: str) -> None:
    assert hdfs_refusal(said) is None
    remedy = remedy_of(said) or ""
    assert "<user>" in remedy
    assert "reboot" not in remedy


@pytest.mark.parametrize(
    ("names", "act"),
    [
        (("services", "jobs", "flink", "get", "", "jobs"), "-n jobs --verb=get --resource=services "),
        (("deployments", "jobs", "flink", "patch", "apps", "jobs"), "--verb=patch --resource=deployments.apps "),
        (("pods", "jobs", "flink", "watch", "", "jobs"), "--verb=get,list,watch --resource=pods "),
        (("leases", "ops", "flink-operator", "create", "coordination.k8s.io", "jobs"), "by its own chart"),
        (("configmaps", "jobs", "default", "watch", "", "jobs"), "kubectl create serviceaccount flink -n jobs"),
    ],
)
def test_the_parts_of_a_refusal_of_kubernetes_decide_the_act(names: tuple[str, ...], act: str) -> None:
    remedy = remedy_of(KUBERNETES.format(*names)) or ""
    assert act in remedy
    assert "clusterrole=edit" not in remedy


def test_a_part_of_a_resource_stands_behind_its_group() -> None:
    said = KUBERNETES.format("deployments/finalizers", "jobs", "flink", "update", "apps", "jobs")
    read = kubernetes_refusal(said)
    assert read is not None
    assert read[1]["resource"] == "deployments.apps/finalizers"


def test_names_that_kubernetes_does_not_have_stay_out_of_commands() -> None:
    said = KUBERNETES.format("pods", "jobs", "x;reboot", "get", "", "jobs")
    assert kubernetes_refusal(said) is None
    assert "reboot" not in (remedy_of(said) or "")
