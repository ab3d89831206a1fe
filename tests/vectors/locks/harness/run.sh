#!/bin/sh
# run.sh RELEASE COUNT SEED CLIENTS STEPS [same] [late] [strict] [again] [survive] [any] [created]
cd "$(dirname "$0")" || exit 2
release=$1
jars="lib/$release/classes:lib/$release/*"
[ "$release" = 2.9.2 ] && jars="lib/2.9.2/classes:lib/2.9.1/*"
built=out/$release/Schedules.class
executor=../../harness/StepExecutor.java
[ "$built" -nt Schedules.java ] && [ "$built" -nt "$executor" ] ||
  javac -nowarn -proc:none -Xlint:none -d "out/$release" -cp "$jars:lib/common/*" "$executor" Schedules.java 2>/dev/null || exit 2
exec java -XX:TieredStopAtLevel=1 -Xmx512m --add-opens java.base/java.util.concurrent=ALL-UNNAMED -cp "out/$release:$jars:lib/common/*" Schedules "$@"
