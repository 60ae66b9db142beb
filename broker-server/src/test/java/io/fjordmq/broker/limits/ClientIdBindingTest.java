package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.inbox.SessionUser;
import org.junit.jupiter.api.Test;

class ClientIdBindingTest {
  private static String userName(String stored) {
    return String.valueOf(ClientIdBinding.userNameOf(new SessionUser(stored, true)));
  }

  @Test
  void shouldTellUserNamesFromSubjects() {
    assertThat(userName(ClientIdBinding.storedName("ann"))).isEqualTo("ann");
    assertThat(userName(ClientIdBinding.storedName("u:ann"))).isEqualTo("u:ann");
    assertThat(userName(ClientIdBinding.storedName("c:CN=ann"))).isEqualTo("c:CN=ann");
    assertThat(userName("c:CN=ann")).isEqualTo("null");
    assertThat(userName("u:")).isEqualTo("null");
    assertThat(ClientIdBinding.userNameOf(null)).isNull();
  }
}
