package io.fjordmq.broker.bans;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A list of bans without a cluster. */
public final class TestBanList {
  private final BanList list;

  public TestBanList(InstantSource clock) {
    list = new BanList(clock);
  }

  public BanList list() {
    return list;
  }

  /** Replaces all bans. */
  public void set(Ban... bans) {
    list.replace(new BanTable(List.of(bans)));
  }

  /** A ban without end, for all tenants. */
  public static Ban ban(BanKind kind, String value) {
    return ban(kind, value, null, null);
  }

  public static Ban ban(
      BanKind kind, String value, @Nullable String tenant, @Nullable Instant until) {
    return new Ban(kind, value, tenant, "ann", "", Instant.EPOCH, until);
  }
}
