package io.fjordmq.testing.architecture;

import static io.fjordmq.testing.architecture.ModuleRules.MAX_CYCLE_MEMBERS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks that the classes of one module follow {@link ModuleRules}, and that each rule detects the
 * violations that the tests of the module contain on purpose. A test class of the module extends
 * it.
 */
public abstract class ArchitectureContract {
  private static final int MIN_CLASSES = 20;

  private final String root;
  private final Class<?>[] violations;

  /**
   * @param root package of the module
   * @param violations classes that together break every rule; two of them are in a cycle
   */
  protected ArchitectureContract(String root, Class<?>... violations) {
    this.root = root;
    this.violations = violations.clone();
  }

  /**
   * Returns the rules for the module.
   *
   * @param mostMembers maximum number of classes in a cycle
   */
  protected Stream<ArchRule> rules(int mostMembers) {
    return Stream.of(
        ModuleRules.noPackageCycles(root),
        ModuleRules.noLargeClassCycles(mostMembers, cycle -> false),
        ModuleRules.noMutableStatics(),
        ModuleRules.namesAreSpecific());
  }

  @TestFactory
  Stream<DynamicTest> shouldFollowTheRules() {
    JavaClasses classes = ModuleRules.mainClasses(root);
    assertThat(classes).hasSizeGreaterThan(MIN_CLASSES);
    return rules(MAX_CYCLE_MEMBERS)
        .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(classes)));
  }

  @TestFactory
  Stream<DynamicTest> shouldDetectTheSeededViolations() {
    JavaClasses classes = new ClassFileImporter().importClasses(violations);
    return rules(1)
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getDescription(),
                    () ->
                        assertThat(rule.evaluate(classes).getFailureReport().getDetails())
                            .isNotEmpty()
                            .allMatch(line -> line.contains(root + ".seeded"))));
  }
}
