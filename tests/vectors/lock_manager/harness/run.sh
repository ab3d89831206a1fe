#!/bin/sh
# run.sh JARS: the class path of a broker, such as '/opt/apache-pulsar-4.0.6/lib/*'
cd "$(dirname "$0")" || exit 2
built=$(mktemp -d) || exit 2
trap 'rm -rf "$built"' EXIT
javac -nowarn -XDignore.symbol.file -d "$built" -cp "$1" Promises.java || exit 2
# Some classes name others of third parties that are not there: unless they are verified, they need not be found.
java -Dorg.apache.logging.log4j.level=OFF -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote \
  -cp "$built:$1" org.apache.pulsar.broker.loadbalance.impl.Promises
