@NullMarked
package io.fjordmq.auth.ldap;

import org.jspecify.annotations.NullMarked;
