package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The users and rules in the database of the cluster. Thread-safe; does not block. */
public interface UserSource {
  /** No users and no rules. */
  UserSource NONE =
      new UserSource() {
        @Override
        public @Nullable DatabaseUser find(String userName) {
          return null;
        }

        @Override
        public DatabaseRules rulesOf(ClientContext client) {
          return new DatabaseRules(List.of(), () -> true);
        }

        @Override
        public Object version() {
          return this;
        }

        @Override
        public boolean isUpgradeDue(DatabaseUser user) {
          return false;
        }

        @Override
        public void onPasswordVerified(DatabaseUser user, byte[] password) {}

        @Override
        public byte[] decoySecret() {
          return new byte[] {0};
        }
      };

  /** Returns a user; null if there is none with this name. */
  @Nullable DatabaseUser find(String userName);

  /** Returns the rules that apply to a client. */
  DatabaseRules rulesOf(ClientContext client);

  /**
   * Returns an object that is replaced by another one after each change of users or rules that
   * concern the rights of clients.
   */
  Object version();

  /** Whether {@link #onPasswordVerified} would replace the credentials of the user now. */
  boolean isUpgradeDue(DatabaseUser user);

  /**
   * Called after a hash has confirmed the password of a user, on the thread that computed the hash,
   * and after a login that needed no hash if {@linkplain #isUpgradeDue an upgrade is due}. May
   * compute further hashes.
   */
  void onPasswordVerified(DatabaseUser user, byte[] password);

  /**
   * Returns the secret of the cluster from which the salts of unknown users are derived; not empty.
   */
  byte[] decoySecret();
}
