package io.fjordmq.broker.bans;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.records.TestRecords;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Opens the bans of nodes that follow the same records. */
public final class TestBans {
  public static final Caller ANN = caller("ann", null);

  private TestBans() {}

  public static Caller caller(String name, @Nullable String tenant) {
    return new Caller(name, Caller.Kind.USER, Role.ADMINISTRATOR, tenant);
  }

  /** Opens the bans of another node, which the records close. */
  public static Bans open(TestRecords records) {
    return records.own(Bans.open(new Bans.Dependencies(records.client(), records::now)));
  }

  static Ban.Draft draft(BanKind kind, String value, @Nullable Instant until) {
    return new Ban.Draft(kind, value, null, null, "", null, until);
  }
}
