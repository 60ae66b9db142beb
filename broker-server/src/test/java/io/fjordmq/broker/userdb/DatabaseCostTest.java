package io.fjordmq.broker.userdb;

import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.userdb.TestUsers.ANN;
import static io.fjordmq.broker.userdb.TestUsers.all;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.ScramMechanism;
import io.fjordmq.broker.security.ScramVerifier;
import io.fjordmq.broker.security.UserCredentials;
import io.fjordmq.cluster.metadata.Change;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the largest database costs. Checks its memory, and prints times, which depend on the host;
 * docs/PERFORMANCE.md has them.
 */
@Tag("slow")
class DatabaseCostTest {
  private static final int BATCH = 500;
  private static final double MEGA = 1e6;

  private final TestUsers test = new TestUsers();
  private final TestUsers.Node node = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private interface Step {
    void run();
  }

  private static void time(String what, int count, Step step) {
    long begin = 0;
    for (int i = -count; i < count; i++) { // the first half is for the compiler
      begin = i == 0 ? System.nanoTime() : begin;
      step.run();
    }
    System.out.printf("%s: %.3f ms%n", what, (System.nanoTime() - begin) / MEGA / count);
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static byte[] user(String name, PasswordHash hash, boolean scram) {
    List<ScramVerifier> verifiers = new ArrayList<>();
    for (ScramMechanism mechanism : scram ? ScramMechanism.values() : new ScramMechanism[0]) {
      byte[] key = new byte[mechanism.bytes()];
      Arrays.fill(key, (byte) 1);
      verifiers.add(new ScramVerifier(mechanism, 15_000, new byte[16], key, key));
    }
    ClientUser user =
        new ClientUser(name, "", true, false, List.of("meters"), Map.of(), Instant.EPOCH);
    return new StoredClientUser(user, new UserCredentials(hash, verifiers), 1).encode();
  }

  @ParameterizedTest
  @CsvSource({"false, 100", "true, 150"})
  void shouldHoldItsMaximumInBoundedMemory(boolean scram, int maxMegabytes) {
    PasswordHash hash =
        PasswordHash.parse(
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2Fs$"
                + "aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g");
    long before = heapInUse();
    for (int from = 0; from < UserDatabaseLimits.MAX_USERS; from += BATCH) {
      List<Change> batch = new ArrayList<>();
      for (int i = from; i < from + BATCH; i++) {
        String name = "sensor-" + i;
        batch.add(Change.put(StoredClientUser.key(name), user(name, hash, scram), Change.ABSENT));
      }
      get(test.records().metadata.write(batch));
    }
    long bytes = heapInUse() - before;
    System.out.printf(
        "%d users, SCRAM %b: %.0f MB%n", UserDatabaseLimits.MAX_USERS, scram, bytes / MEGA);
    assertThat(bytes / MEGA).isLessThan(maxMegabytes);

    byte[] value = user("sensor-7", hash, scram);
    Change change = Change.put(StoredClientUser.key("sensor-7"), value);
    time("write a user", 200, () -> get(test.records().metadata.write(List.of(change))));
    time("find a user", 100_000, () -> Objects.requireNonNull(node.directory().find("sensor-7")));
    time("page of users", 50, () -> node.users().list(ANN, all(), 50_000, 100));
    ClientUser.Filter like = new ClientUser.Filter("99", null, null, null, null);
    time("search of a name", 50, () -> node.users().list(ANN, like, 0, 100));
    ClientUser.Filter group = new ClientUser.Filter(null, null, "none", null, null);
    time("users of a group", 50, () -> node.users().list(ANN, group, 0, 100));
    time("checkpoint", 5, () -> get(test.records().metadata.checkpoint()));
  }
}
