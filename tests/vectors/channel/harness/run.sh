#!/bin/sh
# run.sh RELEASE: what the classes of that release answer, as lines; README.md says which jars lib/RELEASE has.
cd "$(dirname "$0")" || exit 2
release=$1
jars="lib/$release/*:lib/common/*"
flags="-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"  # what is verified is loaded, and is not all there
compiled() { javac -nowarn -proc:none -Xlint:none -d "out/$release" -cp "$jars" "$@" 2>/dev/null || exit 2; }
compiled Answers.java
java $flags -cp "out/$release:$jars" Answers || exit 2
case $release in 4.*)
  compiled $(find stubs -name '*.java') Channel.java
  java $flags -cp "out/$release:$jars" org.apache.pulsar.broker.loadbalance.extensions.channel.Channel || exit 2 ;;
esac
