package io.fjordmq.perf.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for a starting broker by trying to connect until it accepts a client. */
final class FirstConnack {
  private static final int PAUSE_MILLIS = 10;
  private static final int RESPONSE_MILLIS = 10_000;

  private static final byte[] CONNECT = {
    0x10, 16, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 4, 'p', 'e', 'r', 'f'
  };

  /** Provides the time and pauses, replaceable in tests. */
  interface Clock {
    default long nanos() {
      return System.nanoTime();
    }

    default void pause(int millis) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(millis);
    }
  }

  private final InetSocketAddress address;
  private final Path log;
  private final Clock clock;
  private String lastResult = "nothing";

  /** The broker's last refusal, which explains more than the result of the last attempt. */
  private @Nullable String refusal;

  /**
   * @param log log file of the broker, for the error message
   */
  FirstConnack(InetSocketAddress address, Path log) {
    this(address, log, new Clock() {});
  }

  FirstConnack(InetSocketAddress address, Path log, Clock clock) {
    this.address = address;
    this.log = log;
    this.clock = clock;
  }

  /**
   * Waits until the broker accepts a client. Blocks.
   *
   * @param startNanos start of the broker, as {@code System.nanoTime()}
   * @param timeout time limit for all attempts together
   * @return seconds from the start to the first accepted CONNECT
   */
  double await(long startNanos, Duration timeout) throws IOException, InterruptedException {
    long deadline = clock.nanos() + timeout.toNanos();
    while (true) {
      long remainingMillis = TimeUnit.NANOSECONDS.toMillis(deadline - clock.nanos());
      if (remainingMillis <= 0) {
        throw new IOException(
            "no client was accepted at %s within %d s; last attempt: %s; see %s"
                .formatted(address, timeout.toSeconds(), lastAttempt(), log));
      }
      if (isAccepted((int) Math.min(remainingMillis, RESPONSE_MILLIS))) {
        return (clock.nanos() - startNanos) / 1e9;
      }
      clock.pause(PAUSE_MILLIS); // also after a refusal, to avoid additional load
    }
  }

  private boolean isAccepted(int millis) {
    try (Socket socket = new Socket()) {
      socket.connect(address, millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(CONNECT);
      byte[] response = socket.getInputStream().readNBytes(4);
      if (response.length < 4) {
        lastResult = "connection closed";
      } else if (response[0] != 0x20) {
        lastResult = "not a CONNACK";
      } else if (response[3] == 0) {
        return true;
      } else {
        lastResult = "CONNACK 0x%02X".formatted(response[3]);
        refusal = lastResult;
      }
    } catch (IOException e) {
      lastResult = e.toString();
    }
    return false;
  }

  private String lastAttempt() {
    return refusal == null || refusal.equals(lastResult)
        ? lastResult
        : lastResult + ", previously " + refusal;
  }
}
