package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.RefusedException;
import io.fjordmq.perf.load.ResultMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of logins while the service that knows the users is killed and restarted. Decides
 * whether they are as they must be. Thread-safe.
 */
final class LoginLog implements NewClients.Listener {
  private static final String ACCEPTED = "accepted";

  /**
   * One login.
   *
   * @param outcome {@link #ACCEPTED} or the reason of the failure
   */
  private record Login(long startNanos, long endNanos, String outcome) {
    boolean isAccepted() {
      return outcome.equals(ACCEPTED);
    }
  }

  /**
   * The outage, as {@code System.nanoTime()}.
   *
   * @param killing before the service was killed
   * @param killed after it was killed
   * @param restarting before it was restarted
   * @param restarted when it answered again
   */
  record Outage(long killing, long killed, long restarting, long restarted) {}

  /** When a login took place; {@link #AROUND} if it or the recovery overlaps a transition. */
  private enum Phase {
    BEFORE,
    DURING,
    AFTER,
    AROUND
  }

  private final String refusal;
  private final List<Login> logins = new ArrayList<>();

  /**
   * @param refusal how clients must be refused during the outage, such as {@code CONNACK 0x88}
   */
  LoginLog(String refusal) {
    this.refusal = refusal;
  }

  @Override
  public void onResponse(long startNanos, @Nullable Throwable error) {
    record(startNanos, System.nanoTime(), error);
  }

  synchronized void record(long startNanos, long endNanos, @Nullable Throwable error) {
    String outcome = ACCEPTED;
    if (error != null) {
      // A refused client must hear why; a closed connection would not tell it to try again.
      outcome =
          error instanceof RefusedException ? String.valueOf(error.getMessage()) : error.toString();
    }
    logins.add(new Login(startNanos, endNanos, outcome));
  }

  /**
   * Adds the recovery time, and a fault for each login with a wrong outcome: all must be accepted
   * before the outage and once a client was accepted after it; all must be refused during the
   * outage. Those in between may be either.
   */
  synchronized void addTo(Measurement measurement, Outage outage) {
    OptionalLong recovered =
        logins.stream()
            .filter(login -> login.isAccepted())
            .filter(login -> login.startNanos - outage.killed >= 0)
            .filter(login -> login.endNanos - outage.restarting >= 0)
            .mapToLong(login -> login.endNanos)
            .min();
    Map<String, Integer> wrong = new TreeMap<>();
    int refused = 0;
    for (Login login : logins) {
      Phase phase = phaseOf(login, outage, recovered);
      boolean isRefused = login.outcome.equals(refusal);
      boolean right =
          switch (phase) {
            case BEFORE, AFTER -> login.isAccepted();
            case DURING -> isRefused;
            case AROUND -> isRefused || login.isAccepted();
          };
      if (phase == Phase.DURING && isRefused) {
        refused++;
      }
      if (!right) {
        String when = phase.name().toLowerCase(Locale.ROOT);
        wrong.merge(login.outcome + " " + when + " the outage", 1, Integer::sum);
      }
    }
    wrong.forEach((what, count) -> measurement.fault(count + " × new client: " + what));
    if (refused == 0) {
      measurement.fault("no new client was refused during the outage");
    }
    if (recovered.isEmpty()) {
      measurement.fault("no new client was accepted after the outage");
    } else {
      double seconds = (recovered.getAsLong() - outage.restarted) / 1e9;
      measurement.put(ResultMetric.RECOVERY_SECONDS, Math.max(0, seconds));
    }
  }

  private static Phase phaseOf(Login login, Outage outage, OptionalLong recovered) {
    if (login.endNanos - outage.killing < 0) {
      return Phase.BEFORE;
    }
    if (login.startNanos - outage.killed >= 0 && login.endNanos - outage.restarting < 0) {
      return Phase.DURING;
    }
    return recovered.isPresent() && login.startNanos - recovered.getAsLong() > 0
        ? Phase.AFTER
        : Phase.AROUND;
  }

  /** Returns a sentence for readers of the report. */
  synchronized String summary() {
    long refused = logins.stream().filter(login -> login.outcome.equals(refusal)).count();
    return "%d of %d new clients were refused with %s".formatted(refused, logins.size(), refusal);
  }
}
