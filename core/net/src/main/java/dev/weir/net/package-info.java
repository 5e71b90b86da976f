/**
 * UDP sockets, listen addresses and Unix-domain socket files. {@link dev.weir.net.UdpSocket} moves many datagrams with
 * one system call on Linux ({@code recvmmsg} and {@code sendmmsg}), and one datagram with each call elsewhere. {@link
 * dev.weir.net.Packets} holds the datagrams.
 */
@NullMarked
package dev.weir.net;

import org.jspecify.annotations.NullMarked;
