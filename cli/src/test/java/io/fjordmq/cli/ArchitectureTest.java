package io.fjordmq.cli;

import io.fjordmq.cli.seeded.HalfOfACycle;
import io.fjordmq.cli.seeded.HelpfulManager;
import io.fjordmq.cli.seededtwo.OtherHalfOfACycle;
import io.fjordmq.testing.architecture.ArchitectureContract;

class ArchitectureTest extends ArchitectureContract {
  ArchitectureTest() {
    super("io.fjordmq.cli", HelpfulManager.class, HalfOfACycle.class, OtherHalfOfACycle.class);
  }
}
