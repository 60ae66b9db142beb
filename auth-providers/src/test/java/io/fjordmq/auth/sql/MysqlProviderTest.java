package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.Chain;
import io.fjordmq.auth.TestCertificates;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Users and rules in a real MariaDB server. */
class MysqlProviderTest extends SqlProviderContract {
  @Override
  SqlServer startServer(Path folder, TestCertificates certificates) throws Exception {
    return MariadbTestServer.start(folder, certificates);
  }

  @Test
  void shouldNotAcceptAnotherSpellingOfAName() throws Exception {
    server().execute(user("alice", "p", "", true));
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "alice", "p")).isEqualTo("allow");
      // The collation of the table considers all of them equal.
      for (String name : List.of("ALICE", "alice ", "\u00e0lice", "\uff41lice")) {
        assertThat(chain.result("c", name, "p")).as(name).contains("unknown user");
      }
    }
  }

  @Test
  void shouldNotWaitForAServerThatStopsAnswering() throws Exception {
    server().execute(user("u", "p", "", false));
    try (Chain chain = chain("timeout", "1 s", "breakerFailures", "0")) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      server().process().signal("STOP");
      try {
        for (int i = 0; i < 3; i++) {
          long begin = System.nanoTime();
          assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
          assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(3));
        }
      } finally {
        server().process().signal("CONT");
      }
      awaitAllowed(chain);
    }
  }
}
