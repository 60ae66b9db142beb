package io.fjordmq.broker.bans;

import static io.fjordmq.broker.bans.TestBanList.ban;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.ClientInfo;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BanListTest {
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private final TestBanList bans = new TestBanList(() -> now);

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static ClientInfo client(
      String tenant, String clientId, @Nullable String userName, @Nullable String address) {
    return new ClientInfo(
        tenant,
        clientId,
        userName,
        Map.of(),
        "tcpListener",
        address == null ? null : address(address),
        false,
        null,
        5);
  }

  private boolean bans(String tenant, String clientId, @Nullable String user, @Nullable String ip) {
    return bans.list().find(client(tenant, clientId, user, ip)) != null;
  }

  @Test
  void shouldBanNobodyWithoutBans() {
    assertThat(bans("t", "c", "u", "192.0.2.7")).isFalse();
    assertThat(bans.list().find("c", address("192.0.2.7"))).isNull();
  }

  @Test
  void shouldMatchEachKind() {
    bans.set(
        ban(BanKind.CLIENTID, "c"),
        ban(BanKind.USERNAME, "u"),
        ban(BanKind.PEERHOST, "192.0.2.7"),
        ban(BanKind.PEERHOST_NET, "198.51.100.0/24"),
        ban(BanKind.PEERHOST_NET, "2001:db8::/32"));
    assertThat(bans("t", "c", null, null)).isTrue();
    assertThat(bans("t", "u", "c", null)).isFalse();
    assertThat(bans("t", "x", "u", null)).isTrue();
    assertThat(bans("t", "x", null, "192.0.2.7")).isTrue();
    assertThat(bans("t", "x", null, "192.0.2.8")).isFalse();
    assertThat(bans("t", "x", null, "198.51.100.255")).isTrue();
    assertThat(bans("t", "x", null, "198.51.101.0")).isFalse();
    assertThat(bans("t", "x", null, "2001:db8:1::1")).isTrue();
    assertThat(bans("t", "x", null, "2001:db9::1")).isFalse();
    assertThat(bans.list().find("c", null)).isNotNull();
    assertThat(bans.list().find("u", null)).as("the user name is not known yet").isNull();
    assertThat(bans.list().find("x", address("198.51.100.1"))).isNotNull();
  }

  @Test
  void shouldMatchWholeAddressSpaces() {
    bans.set(ban(BanKind.PEERHOST_NET, "0.0.0.0/0"));
    assertThat(bans("t", "c", null, "192.0.2.7")).isTrue();
    assertThat(bans("t", "c", null, "2001:db8::1")).isFalse();
    assertThat(bans("t", "c", null, null)).as("a client of a Unix domain socket").isFalse();
  }

  @Test
  void shouldApplyBansOfATenantToItsClients() {
    bans.set(ban(BanKind.CLIENTID, "c", "t", null), ban(BanKind.PEERHOST, "192.0.2.7", "t", null));
    assertThat(bans("t", "c", null, null)).isTrue();
    assertThat(bans("other", "c", null, null)).isFalse();
    assertThat(bans("t", "x", null, "192.0.2.7")).isTrue();
    assertThat(bans("other", "x", null, "192.0.2.7")).isFalse();
    assertThat(bans.list().find("c", address("192.0.2.7")))
        .as("the tenant is not known yet")
        .isNull();
  }

  @Test
  void shouldEndInClusterTime() {
    bans.set(
        ban(BanKind.CLIENTID, "c", null, now.plusSeconds(10)),
        ban(BanKind.CLIENTID, "c", "t", null));
    assertThat(bans("other", "c", null, null)).isTrue();
    assertThat(bans.list().find("c", null)).isNotNull();
    now = now.plusSeconds(10);
    assertThat(bans("other", "c", null, null)).isFalse();
    assertThat(bans.list().find("c", null)).isNull();
    assertThat(bans("t", "c", null, null)).as("another ban without end").isTrue();
  }
}
