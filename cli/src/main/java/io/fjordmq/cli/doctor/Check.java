package io.fjordmq.cli.doctor;

import java.util.stream.Stream;

/** Checks one area of the host. May block for a few seconds. */
@FunctionalInterface
interface Check {
  Stream<Finding> findings();
}
