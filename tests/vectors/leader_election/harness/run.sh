#!/bin/sh
# run.sh RELEASE random COUNT SEED BROKERS STEPS calm|wild [unordered]; run.sh RELEASE given: see Schedules.given.
# Jars and classes lie in ${ELECTIONS_HOME:-build/elections}; what is not there is fetched from Maven Central.
here=$(cd "$(dirname "$0")" && pwd) || exit 2
home=${ELECTIONS_HOME:-build/elections}/$1
if [ ! -d "$home/lib" ]; then
  mvn -q -B -f "$here/pom.xml" -Dpulsar="$1" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$(mkdir -p "$home" && cd "$home" && pwd)/lib" >&2 || exit 2
fi
case $1 in
  2.*) arguments='' ;;
  3.*) arguments='"harness"' ;;
  *) arguments='"harness", io.opentelemetry.api.OpenTelemetry.noop()' ;;
esac
built="$home/classes/Schedules.class"
executor="$here/../../harness/StepExecutor.java"
if [ ! "$built" -nt "$here/Schedules.java" ] || [ ! "$built" -nt "$here/Store.java" ] || [ ! "$built" -nt "$executor" ]; then
  mkdir -p "$home/classes" "$home/source" || exit 2
  sed "s/\"ARGUMENTS\"/$arguments/" "$here/Store.java" > "$home/source/Store.java"
  javac -nowarn -proc:none -Xlint:none -d "$home/classes" -cp "$home/lib/*" "$home/source/Store.java" \
    "$executor" "$here/Schedules.java" >&2 || exit 2
fi
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g --add-opens java.base/java.util.concurrent=ALL-UNNAMED \
  -cp "$home/classes:$home/lib/*" Schedules "$@" 2> "$home/log"
