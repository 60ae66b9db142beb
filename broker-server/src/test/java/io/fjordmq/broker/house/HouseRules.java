package io.fjordmq.broker.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.lang.ArchRule;
import io.fjordmq.testing.architecture.ModuleRules;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * The rules for the modules of the broker. The directory of a module determines the package of its
 * classes.
 */
final class HouseRules {
  private static final String ROOT = "io.fjordmq.";
  private static final String BROKER = ROOT + "broker.";
  private static final String CONSENSUS = ROOT + "cluster.consensus.";
  private static final String[] ADAPTERS = {
    CONSENSUS + "jraft..", CONSENSUS + "log..", CONSENSUS + "transport.."
  };
  private static final String OTLP = BROKER + "telemetry.otlp..";
  private static final String GENERATED = ROOT + "cluster.peer.proto..";
  private static final String TESTING = ROOT + "testing..";
  private static final String[] MQTT_PACKAGES = {
    "io.fjordmq.router..", "io.fjordmq.inbox..", "io.fjordmq.retain..", "io.fjordmq.broker.."
  };

  private static final String[] STORES = {ROOT + "router..", ROOT + "inbox..", ROOT + "retain.."};
  private static final String[] CLIENTS = {
    ROOT + "router.client..", ROOT + "inbox.client..", ROOT + "retain.client.."
  };

  private HouseRules() {}

  static ArchRule layers() {
    return layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("api")
        .definedBy(ROOT + "api..")
        .layer("common")
        .definedBy(ROOT + "common..")
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
            resideInAnyPackage(MQTT_PACKAGES)
                .or(resideInAPackage("io.netty.handler.codec.mqtt.."))
                .or(resideInAPackage(ROOT + "api"))
                .or(nameMatching(ROOT + "common.MessageCodec"))
                .or(
                    resideInAPackage(ROOT + "api.plugin")
                        .and(not(nameMatching(ROOT + "api.plugin.(Extension|SplitStrategy)")))
                        .and(
                            not(
                                nameMatching(
                                    ROOT + "api.plugin.(SplitAdvice|RangeLoad|NodeLoad).*")))))
        .because("ranges and groups hold bytes and do not know what they mean");
  }

  static ArchRule testSupportStaysInTests() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(TESTING)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(TESTING)
        .because("the module test-support is not part of the distribution");
  }

  static ArchRule raftLibraryStaysInConsensus() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(ADAPTERS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.alipay..", "com.lmax..")
        .because("everything else sees the Consensus port");
  }

  static ArchRule consensusPortKnowsNoAdapter() {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "cluster.consensus..")
        .and()
        .resideOutsideOfPackages(ADAPTERS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ADAPTERS)
        .because("the port does not know who implements it");
  }

  /** The log stores what it is given; the transport knows the log's records, never the adapter. */
  static ArchRule logAndTransportKnowNoAdapter() {
    return noClasses()
        .that()
        .resideInAnyPackage(CONSENSUS + "log..", CONSENSUS + "transport..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(CONSENSUS + "jraft..")
        .because("jraft uses the log and the transport");
  }

  static ArchRule rocksStaysBehindItsPorts() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "range.kv..", CONSENSUS + "jraft..", CONSENSUS + "log..")
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
            ROOT + "common.net..",
            CONSENSUS + "transport..",
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
        .resideOutsideOfPackages(ROOT + "cluster.peer..", OTLP)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", GENERATED)
        .because("everything else sees PeerCalls and PeerServices, or the telemetry port");
  }

  /** Nodes that export nothing do not load these libraries. */
  static ArchRule openTelemetryStaysInOtlp() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(OTLP)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.opentelemetry..", "io.micrometer.registry.otlp..")
        .because("everything else sees Telemetry and MessageTracer");
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

  static ArchRule jacksonStaysInRest() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "broker.rest..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("tools.jackson..", "com.fasterxml.jackson..")
        .because("stored data and messages between nodes have formats of their own");
  }

  static ArchRule restKnowsOnlyPorts() {
    return noClasses()
        .that()
        .resideInAPackage(BROKER + "rest..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.netty..", "org.rocksdb..", ROOT + "cluster..", ROOT + "range..")
                .or(resideInAnyPackage(STORES)))
        .because("resources see the services of the broker, not its stores and metadata");
  }

  static ArchRule replicatedCodeIsPure() {
    return noClasses()
        .that()
        .resideInAnyPackage(STORES)
        .and()
        .resideOutsideOfPackages(CLIENTS)
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

  /** A store is executed by replicas and knows no node that calls it. */
  static ArchRule storesKnowNoClient() {
    return noClasses()
        .that()
        .resideInAnyPackage(STORES)
        .and()
        .resideOutsideOfPackages(CLIENTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(CLIENTS)
        .because("what a replica applies does not depend on the node that sends it");
  }

  static ArchRule formatsStayInTheirStore() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(STORES)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(STORES)
                .and(
                    nameMatching(".*(Command|Query|Coprocessor|Memory|Keys|Rows?)")
                        .or(assignableTo(ROOT + "router.RouteCommand"))
                        .or(assignableTo(ROOT + "inbox.InboxCommand"))
                        .or(assignableTo(ROOT + "retain.RetainCommand"))))
        .because("commands and rows are formats of one store; others call its facade");
  }

  static ArchRule nothingBlocksOnAnEventLoop() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            ROOT + "broker.session..",
            ROOT + "broker.protocol..",
            ROOT + "broker.dispatch..",
            ROOT + "broker.delivery..",
            ROOT + "router..")
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
    return ModuleRules.noMutableStatics(GENERATED);
  }

  static ArchRule noCycles(String module) {
    return ModuleRules.noPackageCycles(ROOT + module);
  }

  /**
   * The boundary of a package of the broker.
   *
   * @param others the packages of the broker that it may use
   */
  static ArchRule boundary(String inside, String... others) {
    String[] within =
        Stream.concat(Stream.of(inside), Stream.of(others))
            .map(name -> BROKER + name + "..")
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(BROKER + inside + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage(ROOT + "broker..").and(not(resideInAnyPackage(within))))
        .because("broker." + inside + " may use only " + String.join(", ", others));
  }

  /** Local dispatch delivers only to clients of this node, wherever the message is from. */
  static ArchRule dispatchIsLocal() {
    return noClasses()
        .that()
        .resideInAPackage(BROKER + "dispatch..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT + "cluster..", ROOT + "range..", ROOT + "retain..")
        .because("mailboxes and local subscriptions know neither nodes nor stores");
  }

  /** Parts of the broker that the composition root assembles do not know it. */
  static ArchRule partsKnowNoRoot() {
    return noClasses()
        .that()
        .resideInAPackage(BROKER + "(*)..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + "broker")
        .because("Broker assembles its parts, and they do not know it");
  }

  static ArchRule noLargeClassCycles() {
    return ModuleRules.noLargeClassCycles(ModuleRules.MAX_CYCLE_MEMBERS, HouseRules::mayBeLarger);
  }

  /** Commands apply themselves to the rows of their store, which name them to decode them. */
  private static boolean mayBeLarger(Set<String> cycle) {
    return cycle.contains(ROOT + "inbox.InboxCommand");
  }
}
