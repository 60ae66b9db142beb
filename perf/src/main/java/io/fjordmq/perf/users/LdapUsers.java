package io.fjordmq.perf.users;

import io.fjordmq.perf.Resources;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.LocalServer;
import io.fjordmq.testing.SlapdServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * OpenLDAP with users and rules in the schema of EMQX. The broker searches the entry of a user and
 * binds with its password.
 *
 * @param own requests of this class
 */
record LdapUsers(Path directory, SlapdServer server, AtomicLong own) implements UserServer {
  private static final Path CLIENT = Path.of("/usr/bin/ldapsearch");
  private static final Pattern COMPLETED = Pattern.compile("monitorOpCompleted: (\\d+)");

  static boolean isInstalled() {
    return SlapdServer.isInstalled() && Files.isExecutable(CLIENT);
  }

  static LdapUsers start(Path directory) throws IOException, InterruptedException {
    int port = FreePorts.one();
    SlapdServer.prepare(directory, text("slapd.conf"), text("mqtt.schema"));
    String url = "ldap://127.0.0.1:" + port;
    return new LdapUsers(directory, SlapdServer.start(directory, port, url), new AtomicLong());
  }

  private static String text(String name) {
    return Resources.text(LdapUsers.class, name);
  }

  @Override
  public LocalServer process() {
    return server.process();
  }

  /** Adds users while the server is stopped, which is faster. */
  @Override
  public void add(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    Path entries = directory.resolve("entries.ldif");
    try (BufferedWriter out = Files.newBufferedWriter(entries)) {
      out.write(text("directory.ldif"));
      for (UserAccount account : accounts) {
        out.write(
            """

            dn: uid=%s,ou=devices,dc=example,dc=com
            objectClass: mqttUser
            uid: %s
            userPassword: %s
            """
                .formatted(account.name(), account.name(), account.password()));
        for (String topic : account.publishes()) {
          out.write("mqttPublishTopic: " + topic + "\n");
        }
        for (String topic : account.subscribes()) {
          out.write("mqttSubscriptionTopic: " + topic + "\n");
        }
      }
    }
    process().close();
    SlapdServer.load(directory, entries);
    process().restart();
  }

  @Override
  public String configuration() {
    String settings =
        """
        type: ldap, servers: '%s', username: 'cn=fjordmq,dc=example,dc=com', password: fjordmq, \
        baseDn: 'ou=devices,dc=example,dc=com', filter: '(uid=${username})'\
        """
            .formatted(process().address());
    return UserService.providers(settings, settings);
  }

  /** Counts the binds and searches of the broker. */
  @Override
  public long calls() throws IOException, InterruptedException {
    String operations =
        LocalServer.client(
            List.of(
                CLIENT.toString(),
                "-x",
                "-LLL",
                "-H",
                "ldap://" + process().address(),
                "-b",
                "cn=Operations,cn=Monitor",
                "(|(cn=Bind)(cn=Search))",
                "monitorOpCompleted"),
            Map.of(),
            List.of());
    long before = own.getAndAdd(2) + 1; // the bind of this request; its search goes on
    return COMPLETED
            .matcher(operations)
            .results()
            .mapToLong(completed -> Long.parseLong(completed.group(1)))
            .sum()
        - before;
  }
}
