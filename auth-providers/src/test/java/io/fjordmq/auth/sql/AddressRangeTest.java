package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressRangeTest {
  private static boolean contains(String range, String address) throws Exception {
    return AddressRange.parse(range).contains(InetAddress.getByName(address));
  }

  @Test
  void shouldContainAddresses() throws Exception {
    assertThat(contains("10.1.2.3", "10.1.2.3")).isTrue();
    assertThat(contains("10.1.2.3", "10.1.2.4")).isFalse();
    assertThat(contains("10.0.0.0/8", "10.200.0.1")).isTrue();
    assertThat(contains("10.0.0.0/8", "11.0.0.1")).isFalse();
    assertThat(contains("0.0.0.0/0", "11.0.0.1")).isTrue();
    assertThat(contains("10.0.0.0/8", "::1")).isFalse();
    assertThat(contains("2001:db8::/32", "2001:db8:1::2")).isTrue();
    assertThat(contains("2001:db8::/32", "2001:db9::")).isFalse();
    assertThat(contains("::1", "::1")).isTrue();
  }

  @Test
  void shouldNotResolveNames() {
    for (String text : List.of("localhost", "10.0.0.0/33", "10.0.0.0/x", "10.0.0", "%", "/8")) {
      assertThatThrownBy(() -> AddressRange.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ipaddress must be an address or a network");
    }
  }
}
