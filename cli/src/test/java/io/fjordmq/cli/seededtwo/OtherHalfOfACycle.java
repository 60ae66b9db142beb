package io.fjordmq.cli.seededtwo;

import io.fjordmq.cli.seeded.HalfOfACycle;

/** Depends on a class of another package that depends on this one. */
public record OtherHalfOfACycle(HalfOfACycle half) {}
