CREATE TABLE mqtt_user (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  username varchar(100) DEFAULT NULL UNIQUE,
  password_hash varchar(100) DEFAULT NULL,
  salt varchar(35) DEFAULT NULL,
  is_superuser tinyint(1) DEFAULT 0,
  created datetime DEFAULT NULL
) DEFAULT CHARSET=utf8mb4;
CREATE TABLE mqtt_acl (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  ipaddress varchar(60) NOT NULL DEFAULT '',
  username varchar(255) NOT NULL DEFAULT '',
  clientid varchar(255) NOT NULL DEFAULT '',
  action enum('publish', 'subscribe', 'all') NOT NULL,
  permission enum('allow', 'deny') NOT NULL,
  topic varchar(255) NOT NULL DEFAULT '',
  qos tinyint(1),
  retain tinyint(1),
  INDEX (username)
) DEFAULT CHARSET=utf8mb4;
