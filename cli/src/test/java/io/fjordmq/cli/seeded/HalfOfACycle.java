package io.fjordmq.cli.seeded;

import io.fjordmq.cli.seededtwo.OtherHalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record HalfOfACycle(OtherHalfOfACycle other) {}
