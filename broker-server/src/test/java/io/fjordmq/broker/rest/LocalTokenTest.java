package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LocalTokenTest {
  private static final Caller OTHER = new Caller("other", Caller.Kind.USER, Role.VIEWER, null);

  private final LocalToken token =
      LocalToken.generate((credentials, address) -> CompletableFuture.completedFuture(OTHER));

  @Test
  void shouldMakeItsOwnerAnAdministrator() {
    assertThat(token.authenticate(new Credentials.Bearer(token.text()), "127.0.0.1").join())
        .isEqualTo(new Caller("local", Caller.Kind.LOCAL, Role.ADMINISTRATOR, null));
  }

  @Test
  void shouldPassOnOtherCredentials() {
    assertThat(token.authenticate(new Credentials.Bearer(token.text() + "x"), "a").join())
        .isEqualTo(OTHER);
    assertThat(token.authenticate(new Credentials.Basic("local", token.text()), "a").join())
        .isEqualTo(OTHER);
  }

  @Test
  void shouldDifferEachTime() {
    LocalToken next = LocalToken.generate(token);
    assertThat(next.text()).isNotEqualTo(token.text()).matches("[A-Za-z0-9_-]{43}");
  }
}
