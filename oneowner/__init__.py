"""An executable model of Apache Pulsar's load balancer, and the suite that checks it."""
