package io.fjordmq.broker.accounts;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Role and tenant as stored in accounts:
 *
 * <pre>
 * u8 role: 1 viewer, 2 operator, 3 administrator | u8 has tenant (0, 1) | [block tenant]
 * </pre>
 */
record RoleCode(Role role, @Nullable String tenant) {
  void write(ByteWriter out) {
    out.writeByte(
        switch (role) {
          case VIEWER -> 1;
          case OPERATOR -> 2;
          case ADMINISTRATOR -> 3;
        });
    out.writeByte(tenant == null ? 0 : 1);
    if (tenant != null) {
      out.writeString(tenant);
    }
  }

  static RoleCode read(ByteReader in) {
    int code = in.readByte();
    Role role =
        switch (code) {
          case 1 -> Role.VIEWER;
          case 2 -> Role.OPERATOR;
          case 3 -> Role.ADMINISTRATOR;
          default -> throw NewerFormatException.unknownKind("role", code);
        };
    return new RoleCode(role, in.readByte() == 0 ? null : in.readString());
  }
}
