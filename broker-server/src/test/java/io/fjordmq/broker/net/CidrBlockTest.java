package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the parsing of CIDR blocks and which addresses they contain. */
class CidrBlockTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.1.2, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.6, false",
    "192.0.2.128/25, 192.0.2.200, true",
    "192.0.2.128/25, 192.0.2.127, false",
    "192.0.2.6/31, 192.0.2.7, true",
    "0.0.0.0/0, 8.8.8.8, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "fd00::/8, fdff::1, true",
    "fd00::/8, fe00::1, false",
    "127.0.0.1, ::ffff:127.0.0.1, true"
  })
  void shouldMatchAddresses(String network, String address, boolean inside)
      throws UnknownHostException {
    assertThat(CidrBlock.parse(network).contains(InetAddress.getByName(address))).isEqualTo(inside);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "proxy.example",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/",
        "10.0.0/8/8",
        "/8",
        "",
        "10.0.0",
        "10.0.0.256",
        "010.0.0.1",
        "1",
        "1.2.3.4.5",
        "fd00:::1",
        "::g",
        ":",
        "fe80::1%eth0"
      })
  void shouldRejectInvalidBlocks(String text) {
    assertThatThrownBy(() -> CidrBlock.parse(text)).hasMessageStartingWith("proxyTrusted must be");
  }
}
