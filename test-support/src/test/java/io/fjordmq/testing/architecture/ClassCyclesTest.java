package io.fjordmq.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

class ClassCyclesTest {
  private static final JavaClasses RING =
      new ClassFileImporter().importClasses(RingOfThree.members());

  @Test
  void shouldNameTheMembersOfACycleThatIsTooLarge() {
    assertThat(report(2))
        .contains("3 classes:")
        .contains("RingOfThree")
        .contains("RingOfThreeSecond")
        .contains("RingOfThreeThird");
  }

  @Test
  void shouldAllowACycleUpToTheLimit() {
    assertThat(report(3)).doesNotContain("3 classes:");
  }

  private static String report(int mostMembers) {
    return ArchRuleDefinition.classes()
        .should(new ClassCycles(mostMembers, cycle -> false))
        .evaluate(RING)
        .getFailureReport()
        .toString();
  }
}
