// Package browser is tests alone: what shoppers see and partners' scripts are told, in a real Chromium on the whole
// platform in one process. It also makes the pictures of `make screenshots`.
package browser
