package io.fjordmq.auth;

import com.tngtech.archunit.lang.ArchRule;
import io.fjordmq.auth.seeded.HalfOfACycle;
import io.fjordmq.auth.seeded.HelpfulManager;
import io.fjordmq.auth.seededtwo.OtherHalfOfACycle;
import io.fjordmq.testing.architecture.ArchitectureContract;
import io.fjordmq.testing.architecture.ModuleRules;
import java.util.stream.Stream;

class ArchitectureTest extends ArchitectureContract {
  ArchitectureTest() {
    super("io.fjordmq.auth", HelpfulManager.class, HalfOfACycle.class, OtherHalfOfACycle.class);
  }

  @Override
  protected Stream<ArchRule> rules(int mostMembers) {
    return Stream.concat(super.rules(mostMembers), Stream.of(ModuleRules.loggersAreCalledLog()));
  }
}
