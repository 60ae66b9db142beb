package io.fjordmq.testing.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.function.Predicate;

/** The architecture rules that apply to the classes of every module. */
public final class ModuleRules {
  /** Maximum number of classes that may all depend on each other. */
  public static final int MAX_CYCLE_MEMBERS = 8;

  private ModuleRules() {}

  /** Returns the classes of a package and its subpackages, without those of tests. */
  public static JavaClasses mainClasses(String root) {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> !location.contains("-tests.jar"))
        .importPackages(root);
  }

  /** The packages directly below the root do not depend on each other in a cycle. */
  public static ArchRule noPackageCycles(String root) {
    return slices().matching(root + ".(*)..").should().beFreeOfCycles().allowEmptyShould(true);
  }

  /**
   * Classes do not depend on each other in a large cycle.
   *
   * @param mostMembers maximum number of classes in a cycle
   * @param isExpected cycles that may be larger, by the full names of their classes
   */
  public static ArchRule noLargeClassCycles(int mostMembers, Predicate<Set<String>> isExpected) {
    return classes()
        .should(new ClassCycles(mostMembers, isExpected))
        .because("classes that all need each other can only be understood at once");
  }

  /**
   * Static fields are final.
   *
   * @param generated packages of generated code, which is exempt
   */
  public static ArchRule noMutableStatics(String... generated) {
    return fields()
        .that()
        .areStatic()
        .and()
        .areDeclaredInClassesThat()
        .resideInAPackage("io.fjordmq..")
        .and()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackages(generated)
        .should()
        .beFinal()
        .because("state has an owner");
  }

  /** Every logger has the same name; applies to modules that log. */
  public static ArchRule loggersAreCalledLog() {
    return fields()
        .that()
        .haveRawType("org.slf4j.Logger")
        .should()
        .haveName("LOG")
        .because("a reader finds the log lines of all classes with one search");
  }

  /** No class has a name that fits any class. */
  public static ArchRule namesAreSpecific() {
    return classes()
        .that()
        .resideInAPackage("io.fjordmq..")
        .should()
        .haveNameNotMatching(".*(Helper|Util|Utils|Manager|Impl)")
        .because("such names say nothing about what a class is");
  }
}
