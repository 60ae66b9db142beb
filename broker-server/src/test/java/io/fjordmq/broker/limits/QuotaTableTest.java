package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuotaTableTest {
  private static final ConnectionLimits ONE_PER_SECOND = new ConnectionLimits(0, 1, 0);

  private final QuotaTable table = new QuotaTable(3, 0);

  private static QuotaTable.Key key(String own) {
    return new QuotaTable.Key(own, null, "");
  }

  private QuotaTable.Entry enter(String key, long now) {
    QuotaTable.Entry entry = table.enter(key(key), () -> ONE_PER_SECOND, now);
    entry.quota().admit(now, false, 0);
    return entry;
  }

  private void leave(QuotaTable.Entry entry, long now) {
    entry.quota().release();
    table.release(entry, now);
  }

  @Test
  void shouldShareAQuotaWhileAConnectionUsesIt() {
    QuotaTable.Entry first = enter("a", 0);
    assertThat(enter("a", 0)).isSameAs(first);
    assertThat(enter("b", 0)).isNotSameAs(first);
    assertThat(table.size()).isEqualTo(2);
  }

  @Test
  void shouldRememberARateUntilItMakesNoDifference() {
    QuotaTable.Entry first = enter("a", 0);
    leave(first, 100);
    assertThat(table.enter(key("a"), () -> ONE_PER_SECOND, 200))
        .as("its rate is still in use")
        .isSameAs(first);
    table.release(first, 5_000);
    assertThat(table.size()).isZero();
  }

  @Test
  void shouldForgetUnusedQuotasWhenItIsFull() {
    for (String key : new String[] {"a", "b", "c"}) {
      leave(enter(key, 1_000), 1_000);
    }
    assertThat(table.size()).isEqualTo(3);
    QuotaTable.Entry next = enter("d", 10_000);
    assertThat(table.size()).isEqualTo(1);
    assertThat(enter("d", 10_000)).isSameAs(next);
  }

  @Test
  void shouldGiveOneQuotaToAllFurtherKeysWhenAllAreInUse() {
    QuotaTable.Entry known = enter("a", 0);
    enter("b", 0);
    enter("c", 0);
    QuotaTable.Entry others = enter("d", 0);
    assertThat(enter("e", 0)).isSameAs(others);
    assertThat(enter("a", 0)).isSameAs(known);
    assertThat(table.size()).isEqualTo(4);
    assertThat(others.quota().admit(0, false, 0).exceeded())
        .isEqualTo(ConnectionQuota.Exceeded.CONNECTION_RATE);
  }

  @Test
  void shouldShareQuotasOnlyBetweenKeysWithTheSameLimits() {
    for (String key : new String[] {"a", "b", "c"}) {
      enter(key, 0);
    }
    ConnectionLimits other = new ConnectionLimits(7, 0, 0);
    QuotaTable.Entry d = table.enter(new QuotaTable.Key("d", null, ""), () -> ONE_PER_SECOND, 0);
    QuotaTable.Entry e = table.enter(new QuotaTable.Key("e", null, "acme"), () -> other, 0);
    assertThat(d.quota().limits()).isEqualTo(ONE_PER_SECOND);
    assertThat(e.quota().limits()).isEqualTo(other);
    assertThat(table.enter(new QuotaTable.Key("f", null, "acme"), () -> other, 0)).isSameAs(e);
  }

  @Test
  void shouldShareQuotasWithinANetworkFirst() {
    QuotaTable small = new QuotaTable(1, 2);
    QuotaTable.Entry[] entries =
        List.of("a 1", "b 1", "c 1", "d 2", "e 3", "f 4", "a 1").stream()
            .map(text -> text.split(" "))
            .map(text -> new QuotaTable.Key(text[0], text[1], ""))
            .map(key -> small.enter(key, () -> ONE_PER_SECOND, 0))
            .toArray(QuotaTable.Entry[]::new);
    assertThat(entries[6]).isSameAs(entries[0]);
    assertThat(entries[2]).as("its network").isSameAs(entries[1]).isNotSameAs(entries[0]);
    assertThat(entries[3]).as("another network").isNotSameAs(entries[1]);
    assertThat(entries[5]).as("too many networks").isSameAs(entries[4]).isNotSameAs(entries[3]);
  }
}
