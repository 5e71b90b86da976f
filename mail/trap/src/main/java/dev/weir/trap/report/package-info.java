/**
 * Reports of users about mails: the Abuse Reporting Format (RFC 5965) and mails that are forwarded as attachments.
 */
@NullMarked
package dev.weir.trap.report;

import org.jspecify.annotations.NullMarked;
