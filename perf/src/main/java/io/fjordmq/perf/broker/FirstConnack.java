package io.fjordmq.perf.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connects to a starting broker until it accepts a client. */
final class FirstConnack {
  private static final int PAUSE_MILLIS = 10;
  private static final int RESPONSE_MILLIS = 10_000;

  private static final byte[] CONNECT = {
    0x10, 16, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 4, 'p', 'e', 'r', 'f'
  };

  /** The clock and pauses. */
  interface Clock {
    long nanos();

    void pause(int millis) throws InterruptedException;
  }

  private static final Clock REAL =
      new Clock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void pause(int millis) throws InterruptedException {
          TimeUnit.MILLISECONDS.sleep(millis);
        }
      };

  private final InetSocketAddress address;
  private final Path log;
  private final Clock clock;
  private String seen = "nothing";

  /** The broker's last refusal, which tells more than how the last attempt ended. */
  private @Nullable String refusal;

  /**
   * @param log of the broker, for the error message
   */
  FirstConnack(InetSocketAddress address, Path log) {
    this(address, log, REAL);
  }

  FirstConnack(InetSocketAddress address, Path log, Clock clock) {
    this.address = address;
    this.log = log;
    this.clock = clock;
  }

  /**
   * Blocks.
   *
   * @param patience for all attempts together
   * @return seconds since the start
   */
  double await(long startNanos, Duration patience) throws IOException, InterruptedException {
    long deadline = clock.nanos() + patience.toNanos();
    while (true) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - clock.nanos());
      if (leftMillis <= 0) {
        throw new IOException(
            "no client was accepted at %s within %d s; last attempt: %s; see %s"
                .formatted(address, patience.toSeconds(), lastSeen(), log));
      }
      if (isAccepted((int) Math.min(leftMillis, RESPONSE_MILLIS))) {
        return (clock.nanos() - startNanos) / 1e9;
      }
      clock.pause(PAUSE_MILLIS); // also after a refusal: do not add load
    }
  }

  private boolean isAccepted(int millis) {
    try (Socket socket = new Socket()) {
      socket.connect(address, millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(CONNECT);
      byte[] answer = socket.getInputStream().readNBytes(4);
      if (answer.length < 4) {
        seen = "connection closed";
      } else if (answer[0] != 0x20) {
        seen = "not a CONNACK";
      } else if (answer[3] == 0) {
        return true;
      } else {
        seen = "CONNACK 0x%02X".formatted(answer[3]);
        refusal = seen;
      }
    } catch (IOException e) {
      seen = e.toString();
    }
    return false;
  }

  private String lastSeen() {
    return refusal == null || refusal.equals(seen) ? seen : seen + ", previously " + refusal;
  }
}
