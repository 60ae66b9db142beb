/** Users and rules in the tables of PostgreSQL, MariaDB and MySQL. */
@NullMarked
package io.fjordmq.auth.sql;

import org.jspecify.annotations.NullMarked;
