package io.fjordmq.perf.load;

import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Writes a password file and an ACL file with one user per client of a scenario. Each user can
 * access only the topics of its client. The formats are those of Mosquitto, which FjordMQ reads as
 * well. Passwords are stored as salted SHA-512 hashes, because a deliberately slow hash would
 * dominate the measurement.
 */
public final class Users {
  /** Mosquitto accepts no other length. */
  private static final int SALT_BYTES = 12;

  private final Scenario scenario;
  private final Topics topics;

  public Users(Scenario scenario) {
    this.scenario = scenario;
    this.topics = new Topics(scenario, "+"); // the wildcard covers the labels of all runs
  }

  /** Returns the credentials of the named client, such as p0, s17 or c1. */
  public static Credentials of(String client) {
    return new Credentials(client, "secret of " + client);
  }

  /** Returns the line of the named client in the password file, without its end. */
  public static String passwordLine(String client) {
    return client + ":" + hash(of(client).password(), client);
  }

  /** Writes both files. */
  public void write(Path passwords, Path acl) throws IOException {
    Clients clients = scenario.clients();
    try (BufferedWriter users = Files.newBufferedWriter(passwords);
        BufferedWriter rules = Files.newBufferedWriter(acl)) {
      for (int i = 0; i < clients.publishers(); i++) {
        user("p" + i, users, rules);
        rule("write", new String(topics.ofPublisher(i), StandardCharsets.UTF_8), rules);
        if (scenario.flow() == Flow.MUTUAL) {
          rules("read", topics.ofSubscriber(i), rules);
        }
      }
      for (int i = 0; i < clients.subscribers(); i++) {
        user("s" + i, users, rules);
        rules("read", topics.ofSubscriber(i), rules);
      }
      for (int i = 0; i < clients.collectors(); i++) {
        user("c" + i, users, rules);
        rules("read", topics.ofCollector(), rules);
      }
      for (int i = 0; i < clients.idle(); i++) {
        user("i" + i, users, rules);
      }
    }
  }

  private static void user(String name, BufferedWriter users, BufferedWriter rules)
      throws IOException {
    users.write(passwordLine(name) + "\n");
    rules.write("user " + name + "\n");
  }

  private static void rules(String access, List<String> filters, BufferedWriter rules)
      throws IOException {
    for (String filter : filters) {
      rule(access, filter.replaceFirst("^\\$share/[^/]*/", ""), rules);
    }
  }

  private static void rule(String access, String filter, BufferedWriter rules) throws IOException {
    rules.write("topic " + access + " " + filter + "\n");
  }

  private static String hash(String password, String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-512");
      byte[] nameHash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
      byte[] salt = Arrays.copyOf(nameHash, SALT_BYTES);
      digest.update(password.getBytes(StandardCharsets.UTF_8));
      Base64.Encoder base64 = Base64.getEncoder();
      return "$6$" + base64.encodeToString(salt) + "$" + base64.encodeToString(digest.digest(salt));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide SHA-512", e);
    }
  }
}
