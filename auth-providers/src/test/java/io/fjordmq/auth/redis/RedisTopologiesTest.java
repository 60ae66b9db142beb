package io.fjordmq.auth.redis;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.auth.Chain;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RedisServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis Cluster, Sentinel and TLS, each with real servers. */
class RedisTopologiesTest {
  @TempDir Path folder;

  @BeforeAll
  static void requireRedis() {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed; bin/test.sh installs it");
  }

  private static String awaitResult(Chain chain, String user, String wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    String result = "";
    while (!result.startsWith(wanted) && System.nanoTime() < end) {
      result = chain.result("c", user, "p");
    }
    return result;
  }

  @Test
  void shouldUseAClusterOfThreeNodes() throws Exception {
    List<RedisServer> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        nodes.add(
            RedisServer.start(
                folder, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000"));
      }
      List<String> create = new ArrayList<>(List.of("/usr/bin/redis-cli", "--cluster", "create"));
      nodes.forEach(node -> create.add(node.address()));
      create.add("--cluster-yes");
      RedisServer.cli(create);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!nodes.get(2).run("CLUSTER", "INFO").contains("cluster_state:ok")
          && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < 20; i++) {
        String key = "mqtt_user:u" + i;
        RedisServer.cli(
            List.of(
                "/usr/bin/redis-cli",
                "-c",
                "-p",
                "" + nodes.get(0).port(),
                "HSET",
                key,
                "password",
                "p"));
      }
      try (Chain chain =
          Chain.open(
              List.of(
                  provider(
                      "type",
                      "redis",
                      "mode",
                      "cluster",
                      "servers",
                      nodes.get(0).address(),
                      "timeout",
                      "3 s",
                      "breakerTime",
                      "100 ms")),
              List.of())) {
        for (int i = 0; i < 20; i++) {
          assertThat(chain.result("c", "u" + i, "p")).as("u" + i).isEqualTo("allow");
        }
        // Without replicas, the slots of the killed node are lost; the cluster refuses all.
        nodes.get(2).kill();
        boolean refused = false;
        for (int i = 0; i < 20; i++) {
          refused |= chain.result("c", "u" + i, "p").startsWith("SERVER_UNAVAILABLE");
        }
        assertThat(refused).isTrue();
      }
    } finally {
      for (RedisServer node : nodes) {
        node.close();
      }
    }
  }

  @Test
  void shouldFollowTheMasterThatSentinelNames() throws Exception {
    Path program = Path.of("/usr/bin/redis-sentinel");
    assumeTrue(
        Files.isExecutable(program), "redis-sentinel is not installed; bin/test.sh installs it");
    try (RedisServer first = RedisServer.start(folder);
        RedisServer second =
            RedisServer.start(folder, "--replicaof", "127.0.0.1", "" + first.port());
        RedisServer place = RedisServer.start(folder)) {
      first.run("HSET", "mqtt_user:u", "password", "p");
      place.kill(); // its port is free for the sentinel
      Path config =
          Files.writeString(
              folder.resolve("sentinel.conf"),
              "port "
                  + place.port()
                  + "\nbind 127.0.0.1\ndir "
                  + folder
                  + "\nsentinel monitor main 127.0.0.1 "
                  + first.port()
                  + " 1\nsentinel down-after-milliseconds main 1000\n"
                  + "sentinel failover-timeout main 3000\n");
      Process sentinel =
          new ProcessBuilder(program.toString(), config.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("sentinel.log").toFile())
              .start();
      try (Chain chain =
          Chain.open(
              List.of(
                  provider(
                      "type",
                      "redis",
                      "mode",
                      "sentinel",
                      "sentinelMaster",
                      "main",
                      "servers",
                      place.address(),
                      "timeout",
                      "2 s",
                      "breakerTime",
                      "100 ms")),
              List.of())) {
        assertThat(awaitResult(chain, "u", "allow")).isEqualTo("allow");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!(second.run("HGET", "mqtt_user:u", "password").equals("p")
                && place.run("SENTINEL", "REPLICAS", "main").contains("" + second.port()))
            && System.nanoTime() < end) {
          Thread.onSpinWait();
        }
        first.kill();
        assertThat(awaitResult(chain, "u", "SERVER_UNAVAILABLE")).startsWith("SERVER_UNAVAILABLE");
        assertThat(awaitResult(chain, "u", "allow")).isEqualTo("allow");
      } finally {
        sentinel.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void shouldConnectWithTlsAndAClientCertificate() throws Exception {
    CertificateBuilder template = new CertificateBuilder();
    X509Bundle authority =
        template.subject("CN=authority").setIsCertificateAuthority(true).buildSelfSigned();
    X509Bundle server =
        new CertificateBuilder()
            .subject("CN=localhost")
            .addSanIpAddress("127.0.0.1")
            .addSanDnsName("localhost")
            .buildIssuedBy(authority);
    X509Bundle client = new CertificateBuilder().subject("CN=broker").buildIssuedBy(authority);
    X509Bundle other =
        new CertificateBuilder()
            .subject("CN=other")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    String trust = write("ca.pem", authority.getCertificatePEM());
    String serverCert = write("server.pem", server.getCertificatePathPEM());
    String serverKey = write("server.key", server.getPrivateKeyPEM());
    String cert = write("client.pem", client.getCertificatePathPEM());
    String key = write("client.key", client.getPrivateKeyPEM());
    String wrongTrust = write("other.pem", other.getCertificatePEM());
    try (RedisServer redis =
        RedisServer.start(
            folder,
            "--tls-port",
            "PORT",
            "--tls-cert-file",
            serverCert,
            "--tls-key-file",
            serverKey,
            "--tls-ca-cert-file",
            trust,
            "--tls-auth-clients",
            "yes")) {
      RedisServer.cli(
          List.of(
              "/usr/bin/redis-cli",
              "-p",
              "" + redis.port(),
              "--tls",
              "--cacert",
              trust,
              "--cert",
              cert,
              "--key",
              key,
              "HSET",
              "mqtt_user:u",
              "password",
              "p"));
      List<String> common =
          List.of("type", "redis", "servers", redis.address(), "tls", "true", "timeout", "20 s");
      assertThat(result(common, "trustFile", trust, "certFile", cert, "keyFile", key))
          .isEqualTo("allow");
      assertThat(result(common, "trustFile", wrongTrust, "certFile", cert, "keyFile", key))
          .startsWith("SERVER_UNAVAILABLE");
      assertThat(result(common, "trustFile", trust)).startsWith("SERVER_UNAVAILABLE");
      String replaced = write("replaced.pem", other.getCertificatePEM());
      try (Chain chain = chain(common, "trustFile", replaced, "certFile", cert, "keyFile", key)) {
        assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
        write("replaced.pem", authority.getCertificatePEM());
        Await.until("the new authority is trusted", () -> isAllowed(chain));
      }
    }
  }

  private static boolean isAllowed(Chain chain) {
    try {
      return chain.result("c", "u", "p").equals("allow");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String write(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Chain chain(List<String> common, String... more) {
    List<String> all = new ArrayList<>(common);
    all.addAll(List.of("breakerFailures", "0"));
    all.addAll(List.of(more));
    return Chain.open(List.of(provider(all.toArray(String[]::new))), List.of());
  }

  private static String result(List<String> common, String... more) throws Exception {
    try (Chain chain = chain(common, more)) {
      return chain.result("c", "u", "p");
    }
  }
}
