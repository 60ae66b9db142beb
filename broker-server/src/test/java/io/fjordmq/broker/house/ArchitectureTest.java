package io.fjordmq.broker.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.fjordmq.broker.house.violation.HelpfulManager;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the house hold for every class that ships. */
class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("io.fjordmq");

  static Stream<Named<ArchRule>> rules() {
    return Stream.of(
            HouseRules.layers(),
            HouseRules.engineKnowsNoMqtt(),
            HouseRules.raftLibraryStaysInConsensus(),
            HouseRules.rocksStaysBehindItsPorts(),
            HouseRules.nettyStaysAtTheEdges(),
            HouseRules.grpcStaysInThePort(),
            HouseRules.jettyStaysBehindTheHttpPort(),
            HouseRules.replicatedCodeIsPure(),
            HouseRules.nothingBlocksOnAnEventLoop(),
            HouseRules.configurationHasOneReader(),
            HouseRules.noMutableStatics(),
            HouseRules.namesSayWhat(),
            HouseRules.noCycles("cluster"),
            HouseRules.noCycles("range"),
            HouseRules.noCycles("broker"))
        .map(rule -> Named.of(rule.getDescription(), rule));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldHold(ArchRule rule) {
    rule.check(MAIN);
  }

  @Test
  void shouldSeeTheWholeHouse() {
    for (String module :
        new String[] {"api", "cluster", "range", "router", "inbox", "retain", "broker"}) {
      assertThat(MAIN.stream().filter(c -> c.getPackageName().startsWith("io.fjordmq." + module)))
          .as("classes of %s that the rules look at", module)
          .hasSizeGreaterThan(3);
    }
  }

  @Test
  void shouldFindSeededViolations() {
    JavaClasses seeded = new ClassFileImporter().importClasses(HelpfulManager.class);
    for (ArchRule broken :
        new ArchRule[] {
          HouseRules.noMutableStatics(),
          HouseRules.namesSayWhat(),
          HouseRules.configurationHasOneReader(),
          HouseRules.rocksStaysBehindItsPorts()
        }) {
      assertThat(broken.evaluate(seeded).hasViolation())
          .as("the seeded violation of: " + broken.getDescription())
          .isTrue();
    }
  }
}
