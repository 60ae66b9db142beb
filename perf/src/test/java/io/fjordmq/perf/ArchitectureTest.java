package io.fjordmq.perf;

import com.tngtech.archunit.lang.ArchRule;
import io.fjordmq.perf.seeded.HalfOfACycle;
import io.fjordmq.perf.seeded.HelpfulManager;
import io.fjordmq.perf.seededtwo.OtherHalfOfACycle;
import io.fjordmq.testing.architecture.ArchitectureContract;
import io.fjordmq.testing.architecture.ModuleRules;
import java.util.stream.Stream;

class ArchitectureTest extends ArchitectureContract {
  ArchitectureTest() {
    super("io.fjordmq.perf", HelpfulManager.class, HalfOfACycle.class, OtherHalfOfACycle.class);
  }

  @Override
  protected Stream<ArchRule> rules(int mostMembers) {
    return Stream.concat(super.rules(mostMembers), Stream.of(ModuleRules.loggersAreCalledLog()));
  }
}
