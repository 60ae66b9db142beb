package io.fjordmq.range.seededtwo;

import io.fjordmq.range.seeded.EngineThatKnowsMqtt;

/** Depends on a package that depends on this one. */
public final class OtherHalfOfACycle {
  public static final int LENGTH = EngineThatKnowsMqtt.class.getName().length();

  private OtherHalfOfACycle() {}
}
