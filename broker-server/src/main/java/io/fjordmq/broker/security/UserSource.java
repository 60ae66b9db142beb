package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientFacts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The users and rules in the database of the cluster. Thread-safe; does not block. */
public interface UserSource {
  /** No users and no rules. */
  UserSource NONE =
      new UserSource() {
        @Override
        public @Nullable KnownUser find(String userName) {
          return null;
        }

        @Override
        public KnownRules rulesOf(ClientFacts client) {
          return new KnownRules(List.of(), () -> true);
        }

        @Override
        public Object version() {
          return this;
        }

        @Override
        public boolean isUpgradeDue(KnownUser user) {
          return false;
        }

        @Override
        public void onPasswordVerified(KnownUser user, byte[] password) {}

        @Override
        public byte[] decoySecret() {
          return new byte[] {0};
        }
      };

  /** Returns a user; null if there is none with this name. */
  @Nullable KnownUser find(String userName);

  /** Returns the rules that apply to a client. */
  KnownRules rulesOf(ClientFacts client);

  /**
   * Returns an object that is replaced by another one after each change of users or rules that
   * concern the rights of clients.
   */
  Object version();

  /** Whether {@link #onPasswordVerified} would replace the credentials of the user now. */
  boolean isUpgradeDue(KnownUser user);

  /**
   * Called after a hash has confirmed the password of a user, on the thread that computed the hash,
   * and after a login that needed no hash if {@linkplain #isUpgradeDue an upgrade is due}. May
   * compute further hashes.
   */
  void onPasswordVerified(KnownUser user, byte[] password);

  /**
   * Returns the secret of the cluster from which the salts of unknown users are derived; not empty.
   */
  byte[] decoySecret();
}
