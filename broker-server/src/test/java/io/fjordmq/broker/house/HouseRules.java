package io.fjordmq.broker.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** The rules. Which package a module's classes are in follows from its folder. */
final class HouseRules {
  private static final String ROOT = "io.fjordmq.";
  private static final String GENERATED = ROOT + "cluster.peer.proto..";
  private static final String[] MQTT_WORDS = {
    "io.fjordmq.router..", "io.fjordmq.inbox..", "io.fjordmq.retain..", "io.fjordmq.broker.."
  };

  private HouseRules() {}

  static ArchRule layers() {
    return layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("api")
        .definedBy(ROOT + "api..")
        .layer("cluster")
        .definedBy(ROOT + "cluster..")
        .layer("range")
        .definedBy(ROOT + "range..")
        .layer("router")
        .definedBy(ROOT + "router..")
        .layer("inbox")
        .definedBy(ROOT + "inbox..")
        .layer("retain")
        .definedBy(ROOT + "retain..")
        .layer("broker")
        .definedBy(ROOT + "broker..")
        .whereLayer("broker")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("router")
        .mayOnlyBeAccessedByLayers("broker")
        .whereLayer("inbox")
        .mayOnlyBeAccessedByLayers("broker")
        .whereLayer("retain")
        .mayOnlyBeAccessedByLayers("broker")
        .whereLayer("range")
        .mayOnlyBeAccessedByLayers("router", "inbox", "retain", "broker")
        .whereLayer("cluster")
        .mayOnlyBeAccessedByLayers("range", "router", "broker") // routes wait for other nodes
        .because("router and stores do not know each other; only the broker knows them all");
  }

  static ArchRule engineKnowsNoMqtt() {
    return noClasses()
        .that()
        .resideInAnyPackage(ROOT + "range..", ROOT + "cluster..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(MQTT_WORDS)
                .or(resideInAPackage("io.netty.handler.codec.mqtt.."))
                .or(
                    resideInAPackage(ROOT + "api")
                        .and(not(simpleName("ByteReader")))
                        .and(not(simpleName("ByteWriter")))
                        .and(not(simpleName("MalformedBytesException")))
                        .and(not(simpleName("NewerFormatException"))))
                .or(
                    resideInAPackage(ROOT + "api.plugin")
                        .and(not(nameMatching(ROOT + "api.plugin.(Extension|SplitStrategy)")))
                        .and(
                            not(
                                nameMatching(
                                    ROOT + "api.plugin.(SplitAdvice|RangeLoad|NodeLoad).*")))))
        .because("ranges and groups hold bytes and do not know what they mean");
  }

  private static DescribedPredicate<JavaClass> simpleName(String name) {
    return JavaClass.Predicates.simpleName(name);
  }

  static ArchRule raftLibraryStaysInConsensus() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "cluster.consensus..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.alipay..", "com.lmax..")
        .because("everything else sees the Consensus port");
  }

  static ArchRule rocksStaysBehindItsPorts() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "range.kv..", ROOT + "cluster.consensus..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rocksdb..")
        .because("state is behind the Kv port, the log behind Consensus");
  }

  static ArchRule nettyStaysAtTheEdges() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(
            ROOT + "broker..",
            ROOT + "cluster.consensus..",
            ROOT + "cluster.peer..",
            ROOT + "cluster.tls..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..")
        .because("buffers have owners; what travels further is an array");
  }

  static ArchRule grpcStaysInThePort() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "cluster.peer..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", GENERATED)
        .because("everything else sees PeerCalls and PeerServices");
  }

  static ArchRule jettyStaysBehindTheHttpPort() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "broker.http..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.eclipse.jetty..")
        .because("everything else sees HttpServer and Pages");
  }

  static ArchRule replicatedCodeIsPure() {
    return noClasses()
        .that(areReplicated())
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.Random")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Clock")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.Thread")
        .because("what a replica applies is a function of its state and the entry");
  }

  /** A coprocessor, or a class of its package that it uses, directly or through others. */
  private static DescribedPredicate<JavaClass> areReplicated() {
    return new DescribedPredicate<>("replicas run when they apply an entry") {
      @Override
      public boolean test(JavaClass checked) {
        Set<JavaClass> seen = new HashSet<>(Set.of(checked));
        Deque<JavaClass> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
          JavaClass next = open.remove();
          if (!next.isInterface() && next.isAssignableTo(ROOT + "range.Coprocessor")) {
            return true;
          }
          next.getDirectDependenciesToSelf().stream()
              .map(Dependency::getOriginClass)
              .filter(user -> user.getPackageName().equals(checked.getPackageName()))
              .filter(seen::add)
              .forEach(open::add);
        }
        return false;
      }
    };
  }

  static ArchRule nothingBlocksOnAnEventLoop() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            ROOT + "broker.session..", ROOT + "broker.delivery..", ROOT + "router..")
        .should()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(CompletableFuture.class, "get")
        .orShould()
        .callMethod(CompletableFuture.class, "join")
        .orShould()
        .callMethod(Future.class, "get")
        .because("these packages run on event loops and apply threads");
  }

  static ArchRule configurationHasOneReader() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "broker.config..")
        .should()
        .callMethod(System.class, "getenv", String.class)
        .orShould()
        .callMethod(System.class, "getenv")
        .orShould()
        .callMethod(System.class, "getProperty", String.class)
        .orShould()
        .callMethod(System.class, "getProperty", String.class, String.class)
        .because("what configures a node is read in one package");
  }

  static ArchRule noMutableStatics() {
    return fields()
        .that()
        .areStatic()
        .and()
        .areDeclaredInClassesThat()
        .resideInAPackage("io.fjordmq..")
        .and()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackage(GENERATED)
        .should()
        .beFinal()
        .because("state has an owner");
  }

  static ArchRule loggersAreCalledLog() {
    return fields()
        .that()
        .haveRawType(org.slf4j.Logger.class)
        .should()
        .haveName("LOG")
        .because("a reader finds the log lines of all classes with one search");
  }

  static ArchRule namesSayWhat() {
    return classes()
        .that()
        .resideInAPackage("io.fjordmq..")
        .should()
        .haveNameNotMatching(".*(Helper|Util|Utils|Manager|Impl)")
        .because("such names say nothing about what a class is");
  }

  static ArchRule noCycles(String module) {
    return slices()
        .matching(ROOT + module + ".(*)..")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true);
  }
}
