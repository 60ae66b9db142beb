package io.fjordmq.broker.bans;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpNetworkTest {

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3/8, 10.0.0.0/8",
    "192.0.2.255/25, 192.0.2.128/25",
    "192.0.2.7/32, 192.0.2.7/32",
    "192.0.2.7/0, 0.0.0.0/0",
    "2001:DB8:0:0:1:0:0:7/32, 2001:db8::/32",
    "2001:db8::ffff/127, 2001:db8::fffe/127",
    "::ffff:192.0.2.7/120, 192.0.2.0/24"
  })
  void shouldParseNetworks(String text, String canonical) {
    assertThat(IpNetwork.parseNetwork(text)).hasToString(canonical);
    assertThat(IpNetwork.parseNetwork(canonical)).hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "10.0.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "::/129",
        "localhost/8",
        "10.0.0/8",
        "[::1]/128",
        "fe80::1%eth0/64",
        "::ffff:192.0.2.7/95"
      })
  void shouldRefuseOtherNetworks(String text) {
    assertThat(IpNetwork.parseNetwork(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "localhost", "1.2.3", "256.0.0.1", "10.0.0.1/8", "[::1]", "::g", "::1%1"})
  void shouldRefuseOtherAddresses(String text) {
    assertThat(IpNetwork.parseAddress(text)).isNull();
  }

  @Test
  void shouldContainTheSameAddressesAsTheMask() throws UnknownHostException {
    InetAddress address = InetAddress.getByName("192.0.2.171");
    for (int prefix = 0; prefix <= 32; prefix++) {
      int mask = prefix == 0 ? 0 : -1 << (32 - prefix);
      int first = 0xC00002AB & mask;
      String expected =
          "%d.%d.%d.%d/%d"
              .formatted(
                  first >>> 24, first >>> 16 & 0xFF, first >>> 8 & 0xFF, first & 0xFF, prefix);
      assertThat(IpNetwork.of(address.getAddress(), prefix)).hasToString(expected);
    }
  }
}
