package dev.weir.scan;

/**
 * The submitter of a learn or delete request, for audit trails. Every text may be empty.
 *
 * @param client the address of the client
 * @param credential the credential that authorized the request
 * @param user the user name in the request
 * @param messageId the Message-ID of the mail, without angle brackets
 */
public record Submitter(String client, String credential, String user, String messageId) {}
