/** Users, groups and rules in LDAP directories. */
@NullMarked
package io.fjordmq.auth.ldap;

import org.jspecify.annotations.NullMarked;
