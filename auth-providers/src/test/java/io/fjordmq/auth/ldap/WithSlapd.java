package io.fjordmq.auth.ldap;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.RDN;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.auth.Chain;
import io.fjordmq.auth.TestCertificates;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A real OpenLDAP server for the tests of a class, which is empty before each test. */
abstract class WithSlapd {
  static final String USERS = "ou=testdevice," + TestDirectory.SUFFIX;
  static final String GROUPS = "ou=groups," + TestDirectory.SUFFIX;
  static final String USER_DN = "uid=${username}," + USERS;

  @TempDir static Path folder;
  static TestDirectory server;
  static TestCertificates certificates;

  @BeforeAll
  static void start() throws Exception {
    certificates = TestCertificates.in(folder);
    server = TestDirectory.start(folder, certificates);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void clear() throws Exception {
    server.clear();
  }

  static Map<String, String> settings(String... more) {
    Map<String, String> settings =
        provider(
            "type",
            "ldap",
            "servers",
            server.process().address(),
            "username",
            TestDirectory.READER,
            "password",
            TestDirectory.PASSWORD,
            "timeout",
            "4 s",
            "breakerTime",
            "100 ms");
    settings.putAll(provider(more));
    settings.values().removeIf(String::isEmpty);
    return settings;
  }

  static Map<String, String> searching(String... more) {
    Map<String, String> settings = settings("baseDn", USERS, "filter", "(uid=${username})");
    settings.putAll(provider(more));
    settings.values().removeIf(String::isEmpty);
    return settings;
  }

  static Chain login(Map<String, String> settings) {
    return Chain.open(List.of(settings), List.of());
  }

  /** Without rules, clients that are no superusers may do nothing. */
  static Chain restricted(Map<String, String> settings) {
    return Chain.open(List.of(settings), List.of(searching()));
  }

  static void addUser(String name, String password, String... attributes) throws Exception {
    Entry entry = new Entry(new RDN("uid", name) + "," + USERS);
    entry.addAttribute("objectClass", "mqttUser");
    entry.addAttribute("uid", name);
    entry.addAttribute("userPassword", password);
    for (int i = 0; i < attributes.length; i += 2) {
      entry.addAttribute(attributes[i], attributes[i + 1]);
    }
    try (LDAPConnection connection = server.connect()) {
      connection.add(entry);
    }
  }

  static ClientAccess access(Chain chain, String clientId, String user) throws Exception {
    ConnectAdmission admission = chain.connect(clientId, user, "p");
    assertThat(admission).isInstanceOf(Admitted.class);
    return chain.security().accessOf((Admitted) admission);
  }

  static boolean publish(ClientAccess access, String topic) {
    return Objects.requireNonNull(access.mayPublish(new Topic(topic), Qos.AT_LEAST_ONCE, false, 0))
        .allowed();
  }

  static boolean subscribe(ClientAccess access, String filter) throws Exception {
    return access
        .maySubscribe(new Action.Subscribe(TopicFilter.parse(filter), Qos.AT_LEAST_ONCE))
        .get(10, TimeUnit.SECONDS)
        .allowed();
  }

  /** Waits until a user named u with the password p can log in. */
  static void awaitAllowed(Chain chain) {
    Await.until(
        "a login after the server has returned",
        20,
        () -> {
          try {
            return chain.result("c3", "u", "p").equals("allow");
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }
}
