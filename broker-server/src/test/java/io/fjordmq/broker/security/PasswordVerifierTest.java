package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.security.PasswordVerifier.FollowUp;
import io.fjordmq.broker.security.PasswordVerifier.Result;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PasswordVerifierTest {
  private static final byte[] PASSWORD = "secret".getBytes(StandardCharsets.UTF_8);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.UTF_8);
  private static final PasswordHash HASH =
      PasswordHash.parse("$sha256$prefix$c2FsdA==$vt6QOG1FDOqLd7gi+IhwZeTlq/Eywvncz8x/vUy6XjU=");

  private final PasswordVerifier verifier =
      new PasswordVerifier(SecuritySettings.DEFAULTS, SecurityObserver.NONE);
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    verifier.close();
  }

  private FollowUp counting(boolean isDue) {
    return new FollowUp() {
      @Override
      public boolean isDue() {
        return isDue;
      }

      @Override
      public void run() {
        runs.incrementAndGet();
        throw new IllegalStateException("a bug");
      }
    };
  }

  private Result verify(byte[] password, FollowUp followUp) {
    return verifier.verify("ann", password, HASH, null, followUp).join();
  }

  @Test
  void shouldFollowUpOnLoginsThatNeedNoHash() {
    assertThat(verify(OTHER, counting(true))).isEqualTo(Result.WRONG);
    assertThat(verify(PASSWORD, counting(false))).isEqualTo(Result.RIGHT);
    Await.until("the work after a hash", 30, () -> runs.get() == 1);
    assertThat(verify(PASSWORD, counting(false))).as("cached").isEqualTo(Result.RIGHT);
    assertThat(verify(PASSWORD, counting(true))).as("cached").isEqualTo(Result.RIGHT);
    Await.until("the work after a login without a hash", 30, () -> runs.get() == 2);
    assertThat(verify(OTHER, counting(true))).as("after a failure").isEqualTo(Result.WRONG);
  }

  @Test
  void shouldComputeASlowerHashIfThePasswordIsWrong() {
    PasswordHash decoy = PasswordHash.decoy(new SecureRandom());
    assertThat(HASH.isFast()).isTrue();
    assertThat(decoy.isFast()).isFalse();
    long begin = System.nanoTime();
    decoy.matches(OTHER);
    long alone = System.nanoTime() - begin;
    begin = System.nanoTime();
    assertThat(verifier.verify("ann", OTHER, HASH, decoy, FollowUp.NONE).join())
        .isEqualTo(Result.WRONG);
    // The second computation is faster, but not a hundred times as a digest would be.
    assertThat(System.nanoTime() - begin).isGreaterThan(alone / 100);
  }
}
