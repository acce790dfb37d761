/** The place of the user, as the browser knows it. */
export function findPlace(): Promise<{ latitude: number; longitude: number }> {
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => resolve({ latitude, longitude }),
      ({ message }) => reject(new Error(message || 'The browser does not know where the user is')),
    )
  })
}
