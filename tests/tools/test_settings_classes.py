"""A release's facts of its settings are read from its classes: what a constructor sets, and what a class calls."""

import subprocess
from pathlib import Path

import pytest

from tools.settings_classes import class_file, default_of, defaults, fields

SOURCE = """
package a;
public class Reader implements Runnable {
    long wide = 5_000_000_000L;
    public void run() { System.out.println("of " + hashCode()); }
    int unused() { return 1; }
}
"""
PRINTED = """\
  private int first;
    descriptor: I
    RuntimeVisibleAnnotations:
      0: #1(#2=s#3)
        org.apache.pulsar.common.configuration.FieldContext(
          category="Load Balancer"
          minValue=1l
        )

  private java.lang.String other;
    descriptor: Ljava/lang/String;

  public org.apache.pulsar.broker.ServiceConfiguration();
    Code:
       0: aload_0
       1: invokespecial #1                  // Method java/lang/Object."<init>":()V
       4: aload_0
       5: sipush        300
       8: putfield      #2                  // Field first:I
      11: aload_0
      12: ldc           #3                  // String text
      14: putfield      #4                  // Field other:Ljava/lang/String;
      17: return

"""


def test_class_file_names_the_methods_that_it_calls_and_its_interfaces(tmp_path: Path) -> None:
    (tmp_path / "Reader.java").write_text(SOURCE)
    try:
        subprocess.run(["javac", "-d", tmp_path, tmp_path / "Reader.java"], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no javac")
    read = class_file((tmp_path / "a" / "Reader.class").read_bytes())
    assert read.interfaces == ("Runnable",)
    assert {"hashCode", "println"} <= read.called
    assert "unused" not in read.called


def test_constructor_gives_the_defaults() -> None:
    assert defaults(PRINTED) == {"first": ["sipush        300"], "other": ["String text"]}


def test_settings_of_the_load_balancer_have_their_category() -> None:
    assert dict(fields(PRINTED)) == {"first": {"type": "int", "default": "300", "minValue": 1}}


@pytest.mark.parametrize(("constants", "kind", "default"), [
    (["iconst_1"], "boolean", "true"), (["dconst_1"], "double", "1.0"), (["double 0.2d"], "double", "0.2"),
    (["iconst_m1"], "int", "-1"), (["long 5242880l"], "long", "5242880"),
    (["String a", "String b", "Method x.Lists.newArrayList:()V"], "List<String>", "a,b"),
    (["Field a/ServiceUnitTableViewSyncerType.None:La/T;"], "ServiceUnitTableViewSyncerType", "None"),
    (["Method java/util/Optional.empty:()Ljava/util/Optional;"], "Optional<Double>", ""),
])  # fmt: skip
def test_default_is_as_broker_conf_has_it(constants: list[str], kind: str, default: str) -> None:
    assert default_of(constants, kind) == default
